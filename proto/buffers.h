/* buffers.h: the memory of large replies, used again and again.
 *
 * A batch of 1,024 environments is answered with about a megabyte, thousands of times a second. The batch writes its
 * results straight into a buffer of the session's pool; ZeroMQ sends it from there and gives it back when the last
 * copy of the message is closed, which may be after the session has ended and happens in a thread of ZeroMQ's own:
 * hence the lock and the count of owners. */
#ifndef WIRE_BUFFERS_H
#define WIRE_BUFFERS_H

#include <stddef.h>
#include <stdint.h>
#include <zmq.h>

struct pool;

/* A pool of buffers of `bytes` bytes each; NULL if there is no memory. */
struct pool *pool_open(size_t bytes);

/* No message is taken from it any more; those on their way stay valid. NULL is allowed. */
void pool_close(struct pool *pool);

/* Initialises `message` with a buffer, 64-aligned, in which bytes that nobody wrote are zero or what an earlier message
 * of this pool had there. 0, or -1 if there is no memory. */
int pool_message(struct pool *pool, zmq_msg_t *message);

/* Bytes of all buffers that it has made and not freed. */
size_t pool_bytes(struct pool *pool);

#endif
