/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions of the nxs C-API, made from the list in nxs_functions.def: for
 * each a declaration, a function pointer type and an entry of the table.
 */
#ifndef NEXUS_API_NXS_FUNCTIONS_H_
#define NEXUS_API_NXS_FUNCTIONS_H_

#include <nexus-api/nxs.h>

#ifdef __cplusplus
extern "C" {
#endif

/* nxs_status nxsCreateBuffer(...), hidden: plug-ins define these functions. */
#define NXS_FUNCTION(need, since, name, parameters) NXS_HIDDEN nxs_status nxs##name parameters;
#include <nexus-api/nxs_functions.def>

/* typedef nxs_status (*nxsCreateBuffer_fn)(...) */
#define NXS_FUNCTION(need, since, name, parameters) typedef nxs_status(*nxs##name##_fn) parameters;
#include <nexus-api/nxs_functions.def>

/* The table of functions. The core owns it and sets struct_size to the size that it
 * knows. A plug-in writes no entry beyond that; the entries of functions that it
 * does not have stay NULL. */
typedef struct nxs_functions {
  uint64_t struct_size;
#define NXS_FUNCTION(need, since, name, parameters) nxs##name##_fn name;
#include <nexus-api/nxs_functions.def>
} nxs_functions;

/*
 * A plug-in's description of itself. The core owns the struct, fills the fields
 * marked (in) and clears the rest. Strings live as long as the process.
 */
typedef struct nxs_plugin {
  uint64_t struct_size;     /* (in) */
  nxs_functions *functions; /* (in) the table to fill */
  uint32_t api_major;       /* the version that the plug-in serves: at most the host's, */
  uint32_t api_minor;       /* and at most the one that it was built with */
  nxs_string name;          /* the backend's name, such as "cuda" */
  nxs_string version;       /* the plug-in's own version */
  nxs_id runtime;           /* the id of the plug-in's only runtime */
  uint64_t capabilities;    /* NXS_Capability_* bits */
  nxs_thread_model thread_model;
  int32_t reserved; /* 0 */
} nxs_plugin;

/*
 * The only symbol that a plug-in exports. Called once in a process, before any
 * other function, and once more in the child of a fork(), with another host and tag.
 * The child has neither the parent's threads nor its started driver: the plug-in
 * then starts again, or returns NXS_DeviceNotAvailable with a sentence that says
 * why it can't. Ids from before the fork() are foreign then.
 *
 * Negotiates the version and fills plugin and its table. A plug-in newer than
 * the host serves the host's version. It returns NXS_IncompatibleVersion, with an
 * error record that says why, only if the host is older than the oldest version
 * that it can serve. A plug-in that finds no driver or no device still succeeds if
 * it can answer "0 devices"; if it can't start, it returns NXS_DeviceNotAvailable
 * with a sentence. host stays valid as long as the process lives.
 *
 * Threads: called on one thread, which may be any; takes no lock that the caller
 * could hold.
 */
NXS_EXPORT nxs_status nxsQueryPlugin(const nxs_host *host, nxs_plugin *plugin);
typedef nxs_status (*nxsQueryPlugin_fn)(const nxs_host *host, nxs_plugin *plugin);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* NEXUS_API_NXS_FUNCTIONS_H_ */
