/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel with 64 arguments, in a file of its own since some devices take fewer. */
#include <nexus_kernel.h>

NEXUS_KERNEL_BOUNDED(sum_64, (1), (NEXUS_GLOBAL int *, out), (int, v1), (int, v2), (int, v3),
                     (int, v4), (int, v5), (int, v6), (int, v7), (int, v8), (int, v9), (int, v10),
                     (int, v11), (int, v12), (int, v13), (int, v14), (int, v15), (int, v16),
                     (int, v17), (int, v18), (int, v19), (int, v20), (int, v21), (int, v22),
                     (int, v23), (int, v24), (int, v25), (int, v26), (int, v27), (int, v28),
                     (int, v29), (int, v30), (int, v31), (int, v32), (int, v33), (int, v34),
                     (int, v35), (int, v36), (int, v37), (int, v38), (int, v39), (int, v40),
                     (int, v41), (int, v42), (int, v43), (int, v44), (int, v45), (int, v46),
                     (int, v47), (int, v48), (int, v49), (int, v50), (int, v51), (int, v52),
                     (int, v53), (int, v54), (int, v55), (int, v56), (int, v57), (int, v58),
                     (int, v59), (int, v60), (int, v61), (int, v62), (int, v63)) {
  out[0] = v1 + 2 * v2 + 3 * v3 + 4 * v4 + 5 * v5 + 6 * v6 + 7 * v7 + 8 * v8 + 9 * v9 + 10 * v10 +
           11 * v11 + 12 * v12 + 13 * v13 + 14 * v14 + 15 * v15 + 16 * v16 + 17 * v17 + 18 * v18 +
           19 * v19 + 20 * v20 + 21 * v21 + 22 * v22 + 23 * v23 + 24 * v24 + 25 * v25 + 26 * v26 +
           27 * v27 + 28 * v28 + 29 * v29 + 30 * v30 + 31 * v31 + 32 * v32 + 33 * v33 + 34 * v34 +
           35 * v35 + 36 * v36 + 37 * v37 + 38 * v38 + 39 * v39 + 40 * v40 + 41 * v41 + 42 * v42 +
           43 * v43 + 44 * v44 + 45 * v45 + 46 * v46 + 47 * v47 + 48 * v48 + 49 * v49 + 50 * v50 +
           51 * v51 + 52 * v52 + 53 * v53 + 54 * v54 + 55 * v55 + 56 * v56 + 57 * v57 + 58 * v58 +
           59 * v59 + 60 * v60 + 61 * v61 + 62 * v62 + 63 * v63;
}
