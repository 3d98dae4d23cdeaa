/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The words that can't be a kernel's name, since they are keywords of a language that kernels are
 * compiled to. So a kernel name that one target accepts is accepted by all.
 */
#ifndef NEXUS_KERNEL_COMMON_KEYWORDS_H_
#define NEXUS_KERNEL_COMMON_KEYWORDS_H_

/* 1 if the word is one of them, else 0. */
#define NXK_IS_KEYWORD(word) NXK_IS_KEYWORD_(word)
#define NXK_IS_KEYWORD_(word) NXK_SECOND(NXK_KEYWORD_##word, 0)

/* C. */
#define NXK_KEYWORD_auto ~, 1
#define NXK_KEYWORD_break ~, 1
#define NXK_KEYWORD_case ~, 1
#define NXK_KEYWORD_char ~, 1
#define NXK_KEYWORD_const ~, 1
#define NXK_KEYWORD_continue ~, 1
#define NXK_KEYWORD_default ~, 1
#define NXK_KEYWORD_do ~, 1
#define NXK_KEYWORD_double ~, 1
#define NXK_KEYWORD_else ~, 1
#define NXK_KEYWORD_enum ~, 1
#define NXK_KEYWORD_extern ~, 1
#define NXK_KEYWORD_float ~, 1
#define NXK_KEYWORD_for ~, 1
#define NXK_KEYWORD_goto ~, 1
#define NXK_KEYWORD_if ~, 1
#define NXK_KEYWORD_inline ~, 1
#define NXK_KEYWORD_int ~, 1
#define NXK_KEYWORD_long ~, 1
#define NXK_KEYWORD_register ~, 1
#define NXK_KEYWORD_restrict ~, 1
#define NXK_KEYWORD_return ~, 1
#define NXK_KEYWORD_short ~, 1
#define NXK_KEYWORD_signed ~, 1
#define NXK_KEYWORD_sizeof ~, 1
#define NXK_KEYWORD_static ~, 1
#define NXK_KEYWORD_struct ~, 1
#define NXK_KEYWORD_switch ~, 1
#define NXK_KEYWORD_typedef ~, 1
#define NXK_KEYWORD_union ~, 1
#define NXK_KEYWORD_unsigned ~, 1
#define NXK_KEYWORD_void ~, 1
#define NXK_KEYWORD_volatile ~, 1
#define NXK_KEYWORD_while ~, 1

/* C++, beyond those of C. */
#define NXK_KEYWORD_alignas ~, 1
#define NXK_KEYWORD_alignof ~, 1
#define NXK_KEYWORD_and ~, 1
#define NXK_KEYWORD_and_eq ~, 1
#define NXK_KEYWORD_asm ~, 1
#define NXK_KEYWORD_bitand ~, 1
#define NXK_KEYWORD_bitor ~, 1
#define NXK_KEYWORD_bool ~, 1
#define NXK_KEYWORD_catch ~, 1
#define NXK_KEYWORD_class ~, 1
#define NXK_KEYWORD_co_await ~, 1
#define NXK_KEYWORD_co_return ~, 1
#define NXK_KEYWORD_co_yield ~, 1
#define NXK_KEYWORD_compl ~, 1
#define NXK_KEYWORD_concept ~, 1
#define NXK_KEYWORD_const_cast ~, 1
#define NXK_KEYWORD_consteval ~, 1
#define NXK_KEYWORD_constexpr ~, 1
#define NXK_KEYWORD_constinit ~, 1
#define NXK_KEYWORD_decltype ~, 1
#define NXK_KEYWORD_delete ~, 1
#define NXK_KEYWORD_dynamic_cast ~, 1
#define NXK_KEYWORD_explicit ~, 1
#define NXK_KEYWORD_export ~, 1
#define NXK_KEYWORD_false ~, 1
#define NXK_KEYWORD_friend ~, 1
#define NXK_KEYWORD_mutable ~, 1
#define NXK_KEYWORD_namespace ~, 1
#define NXK_KEYWORD_new ~, 1
#define NXK_KEYWORD_noexcept ~, 1
#define NXK_KEYWORD_not ~, 1
#define NXK_KEYWORD_not_eq ~, 1
#define NXK_KEYWORD_nullptr ~, 1
#define NXK_KEYWORD_operator ~, 1
#define NXK_KEYWORD_or ~, 1
#define NXK_KEYWORD_or_eq ~, 1
#define NXK_KEYWORD_private ~, 1
#define NXK_KEYWORD_protected ~, 1
#define NXK_KEYWORD_public ~, 1
#define NXK_KEYWORD_reinterpret_cast ~, 1
#define NXK_KEYWORD_requires ~, 1
#define NXK_KEYWORD_static_assert ~, 1
#define NXK_KEYWORD_static_cast ~, 1
#define NXK_KEYWORD_template ~, 1
#define NXK_KEYWORD_this ~, 1
#define NXK_KEYWORD_thread_local ~, 1
#define NXK_KEYWORD_throw ~, 1
#define NXK_KEYWORD_true ~, 1
#define NXK_KEYWORD_try ~, 1
#define NXK_KEYWORD_typeid ~, 1
#define NXK_KEYWORD_typename ~, 1
#define NXK_KEYWORD_using ~, 1
#define NXK_KEYWORD_virtual ~, 1
#define NXK_KEYWORD_wchar_t ~, 1
#define NXK_KEYWORD_xor ~, 1
#define NXK_KEYWORD_xor_eq ~, 1

/* OpenCL C and Metal; and main. */
#define NXK_KEYWORD_constant ~, 1
#define NXK_KEYWORD_device ~, 1
#define NXK_KEYWORD_fragment ~, 1
#define NXK_KEYWORD_global ~, 1
#define NXK_KEYWORD_half ~, 1
#define NXK_KEYWORD_kernel ~, 1
#define NXK_KEYWORD_local ~, 1
#define NXK_KEYWORD_main ~, 1
#define NXK_KEYWORD_sampler ~, 1
#define NXK_KEYWORD_thread ~, 1
#define NXK_KEYWORD_threadgroup ~, 1
#define NXK_KEYWORD_vertex ~, 1

#endif /* NEXUS_KERNEL_COMMON_KEYWORDS_H_ */
