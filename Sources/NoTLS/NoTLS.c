/* What libmicrohttpd asks of GnuTLS, answered with nothing: likesd speaks no TLS.

   Debian's library is built with TLS and pulls in GnuTLS with eight libraries more: 2 MB of resident memory and a good part
   of the time of a start, for code that never runs. likesd has libmicrohttpd linked in (see Linking/), and these
   functions in the place of GnuTLS's. Only the two that the library calls when it is loaded and unloaded return; each
   other one would mean that a daemon was started with MHD_USE_TLS, and ends the program. Whether the list is complete
   is for the linker to say. */
#include "NoTLS.h"

#include <stdlib.h>

/* For this program alone: the tests load a library that wants the real ones. */
#pragma GCC visibility push(hidden)

int gnutls_global_init(void) { return 0; }
void gnutls_global_deinit(void) {}

void *(*gnutls_malloc)(size_t) = malloc;

#define NOT_HERE(name) \
  void name(void) { abort(); }

NOT_HERE(gnutls_alpn_set_protocols)
NOT_HERE(gnutls_bye)
NOT_HERE(gnutls_certificate_allocate_credentials)
NOT_HERE(gnutls_certificate_free_credentials)
NOT_HERE(gnutls_certificate_server_set_request)
NOT_HERE(gnutls_certificate_set_dh_params)
NOT_HERE(gnutls_certificate_set_retrieve_function2)
NOT_HERE(gnutls_certificate_set_retrieve_function3)
NOT_HERE(gnutls_certificate_set_x509_key_mem)
NOT_HERE(gnutls_certificate_set_x509_key_mem2)
NOT_HERE(gnutls_certificate_set_x509_trust_mem)
NOT_HERE(gnutls_cipher_get)
NOT_HERE(gnutls_credentials_set)
NOT_HERE(gnutls_deinit)
NOT_HERE(gnutls_dh_params_deinit)
NOT_HERE(gnutls_dh_params_import_pkcs3)
NOT_HERE(gnutls_dh_params_init)
NOT_HERE(gnutls_handshake)
NOT_HERE(gnutls_init)
NOT_HERE(gnutls_priority_deinit)
NOT_HERE(gnutls_priority_init)
NOT_HERE(gnutls_priority_set)
NOT_HERE(gnutls_protocol_get_version)
NOT_HERE(gnutls_psk_allocate_server_credentials)
NOT_HERE(gnutls_psk_free_server_credentials)
NOT_HERE(gnutls_psk_set_server_credentials_function)
NOT_HERE(gnutls_record_check_pending)
NOT_HERE(gnutls_record_get_direction)
NOT_HERE(gnutls_record_recv)
NOT_HERE(gnutls_record_send)
NOT_HERE(gnutls_session_get_ptr)
NOT_HERE(gnutls_session_set_ptr)
NOT_HERE(gnutls_strerror)
NOT_HERE(gnutls_transport_set_int2)
