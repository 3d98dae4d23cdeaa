/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions of the nxs C-API, made from the one list in nxs_functions.def:
 * a declaration, a function pointer type and a place in the table for each.
 */
#ifndef NEXUS_API_NXS_FUNCTIONS_H_
#define NEXUS_API_NXS_FUNCTIONS_H_

#include <nexus-api/nxs.h>

#ifdef __cplusplus
extern "C" {
#endif

/* nxs_status nxsCreateBuffer(...), hidden: a plug-in defines them. */
#define NXS_FUNCTION(need, since, name, parameters) NXS_HIDDEN nxs_status nxs##name parameters;
#include <nexus-api/nxs_functions.def>

/* typedef nxs_status (*nxsCreateBuffer_fn)(...) */
#define NXS_FUNCTION(need, since, name, parameters) typedef nxs_status(*nxs##name##_fn) parameters;
#include <nexus-api/nxs_functions.def>

/* The table. The core owns it and sets struct_size to the bytes that it knows;
 * a plug-in writes no entry beyond that and leaves NULL what it lacks. */
typedef struct nxs_functions {
  uint64_t struct_size;
#define NXS_FUNCTION(need, since, name, parameters) nxs##name##_fn name;
#include <nexus-api/nxs_functions.def>
} nxs_functions;

/*
 * What a plug-in says of itself. The core owns the struct, fills the fields
 * marked (in) and clears the rest. Strings live as long as the process.
 */
typedef struct nxs_plugin {
  uint64_t struct_size;     /* (in) */
  nxs_functions *functions; /* (in) the table to fill */
  uint32_t api_major;       /* the version that the plug-in serves: at most the host's, */
  uint32_t api_minor;       /* and at most the one that it was built with */
  nxs_string name;          /* the backend's name, such as "cuda" */
  nxs_string version;       /* the plug-in's own version */
  nxs_id runtime;           /* the id of the one runtime */
  uint64_t capabilities;    /* NXS_Capability_* bits */
  nxs_thread_model thread_model;
  int32_t reserved; /* 0 */
} nxs_plugin;

/*
 * The only symbol that a plug-in exports. Called once in a process, before
 * anything else; in the child of a fork() once more, with another host and tag. The
 * parent's threads and driver did not come along: the plug-in then begins anew, or
 * returns NXS_DeviceNotAvailable and says that it can't, and the ids of before are
 * foreign ones.
 *
 * Negotiates the version and fills plugin and its table. A plug-in newer than
 * the host serves the host's version; it refuses with NXS_IncompatibleVersion,
 * and an error record in words, only below the oldest one that it can serve.
 * A plug-in that finds no driver or no device still succeeds where it can
 * answer "0 devices"; it returns NXS_DeviceNotAvailable with a sentence where
 * it can't start. host stays valid for the life of the process.
 *
 * Threads: called on any one thread; takes no lock that a caller could hold.
 */
NXS_EXPORT nxs_status nxsQueryPlugin(const nxs_host *host, nxs_plugin *plugin);
typedef nxs_status (*nxsQueryPlugin_fn)(const nxs_host *host, nxs_plugin *plugin);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* NEXUS_API_NXS_FUNCTIONS_H_ */
