/* buffers.c: the memory of large replies, used again and again. */
#include "proto/buffers.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 64, MOST_SPARE = 3 }; /* one in the cache of the last reply, one on its way, one being written */

/* A message goes from a thread of ours to one of ZeroMQ's. ZeroMQ orders that; the atomic pool says it where tools that do
 * not see into ZeroMQ look for it. */
struct buffer {
    _Alignas(LINE) struct pool *_Atomic pool;
    struct buffer *next; /* while it is spare */
};

struct pool {
    pthread_mutex_t lock;
    size_t bytes;
    struct buffer *spare;
    int spares, made; /* made: spare or out */
    bool closed;
};

static size_t round_up(size_t bytes) { return (bytes + LINE - 1) / LINE * LINE; }

struct pool *pool_open(size_t bytes) {
    struct pool *pool = calloc(1, sizeof *pool);
    if (!pool) return NULL;
    pthread_mutex_init(&pool->lock, NULL);
    pool->bytes = round_up(bytes);
    return pool;
}

static void destroy(struct pool *pool) {
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

void pool_close(struct pool *pool) {
    if (!pool) return;
    pthread_mutex_lock(&pool->lock);
    while (pool->spare) {
        struct buffer *next = pool->spare->next;
        free(pool->spare);
        pool->spare = next;
        pool->made--;
    }
    pool->closed = true;
    const bool last = pool->made == 0;
    pthread_mutex_unlock(&pool->lock);
    if (last) destroy(pool);
}

/* ZeroMQ's call when the last copy of a message is closed. */
static void give_back(void *data, void *hint) {
    (void)data;
    struct buffer *buffer = hint;
    struct pool *pool = atomic_load_explicit(&buffer->pool, memory_order_acquire);
    pthread_mutex_lock(&pool->lock);
    const bool keep = !pool->closed && pool->spares < MOST_SPARE;
    if (keep) {
        buffer->next = pool->spare;
        pool->spare = buffer;
        pool->spares++;
    } else
        pool->made--;
    const bool last = pool->closed && pool->made == 0;
    pthread_mutex_unlock(&pool->lock);
    if (!keep) free(buffer);
    if (last) destroy(pool);
}

static struct buffer *make(struct pool *pool) {
    const size_t bytes = sizeof(struct buffer) + pool->bytes;
    struct buffer *buffer = aligned_alloc(LINE, bytes);
    if (!buffer) return NULL;
    memset(buffer, 0, bytes); /* the gaps between arrays must not carry old memory to a client */
    atomic_store_explicit(&buffer->pool, pool, memory_order_release);
    return buffer;
}

static struct buffer *take(struct pool *pool) {
    pthread_mutex_lock(&pool->lock);
    struct buffer *buffer = pool->spare;
    if (buffer) {
        pool->spare = buffer->next;
        pool->spares--;
    } else
        pool->made++;
    pthread_mutex_unlock(&pool->lock);
    if (buffer) return buffer;
    buffer = make(pool);
    if (buffer) return buffer;
    pthread_mutex_lock(&pool->lock);
    pool->made--;
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

int pool_message(struct pool *pool, zmq_msg_t *message) {
    struct buffer *buffer = take(pool);
    if (!buffer) return -1;
    if (zmq_msg_init_data(message, buffer + 1, pool->bytes, give_back, buffer) == 0) return 0;
    give_back(buffer + 1, buffer);
    return -1;
}

size_t pool_bytes(struct pool *pool) {
    pthread_mutex_lock(&pool->lock);
    const size_t bytes = (size_t)pool->made * (sizeof(struct buffer) + pool->bytes);
    pthread_mutex_unlock(&pool->lock);
    return bytes;
}
