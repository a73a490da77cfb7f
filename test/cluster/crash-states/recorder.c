/*
 * Records what a process does to the files of a folder (RECORD_FOLDER, absolute, without links) in a log (RECORD_LOG): writes, lengths,
 * names, and which of them are on the disk. For LD_PRELOAD. A sync takes RECORD_SYNC_US microseconds and brings nothing to the disk of
 * this machine; about one of RECORD_FAIL_EVERY syncs of a file fails with EIO, and then the next one of each other descriptor of the
 * file, in all processes, as Linux tells it (errseq_t, since 4.13).
 *
 * A process also orders failures of its own: by the removal of a name in the folder such as "!sync gateway.db 2 1 5", which is not there:
 * of the syncs of gateway.db 2 succeed, and then 1 fails with the error 5; "!write" in place of "!sync" refuses writes. "." is the folder.
 *
 * A record: a mark (8 bytes), type (1), thread (4), number of the file (8), offset (8), length of what follows (4), what follows. A process
 * that is killed may leave the beginning of one, which ends at the next mark. Types: O a file has this name; W bytes; T length (offset);
 * B a sync begins; E it has brought to the disk what there was; F it has not; U a name is removed; L another name for the file (text);
 * R a name is replaced (text: old, 0, new).
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define FILES 65536
/* No text has these bytes: they are not UTF-8. */
static const char mark[8] = "\x9e\xf1\xc0\xd4\xa8\xff\xe6\xb5";
static ino_t known[FILES];
/* How many failures of its file a descriptor has been told of; of all files, in memory that the processes share. */
static uint32_t told[FILES], *failures;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char folder[4000];
static size_t folder_length;
static int log_file = -1;
static long fail_every, sync_us;
static atomic_long syncs;

#define REAL(name) \
  static __typeof__(name) *real; \
  if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

/* An order: how many syncs or writes of a file succeed before so many fail. */
static struct order {
  ino_t file;
  int is_write, pass, fail, error;
} orders[16];
static int ordered;

static void take_order(const char *text) {
  struct order order = {0};
  struct stat found;
  char what[8], name[256], path[4400];
  int *in[] = {&order.pass, &order.fail, &order.error};
  if (sscanf(text, "!%7s %255s %d %d %d", what, name, in[0], in[1], in[2]) != 5) abort();
  snprintf(path, sizeof path, "%s/%s", folder, name);
  if (stat(path, &found) || ordered == sizeof orders / sizeof *orders) abort();
  order.file = found.st_ino;
  order.is_write = !strcmp(what, "write");
  orders[ordered++] = order;
}

/* The error that was ordered for what a file is asked now; 0: none. */
static int error_ordered(ino_t file, int is_write) {
  for (struct order *order = orders; order < orders + ordered; order++) {
    if (order->file != file || order->is_write != is_write) continue;
    if (order->pass-- > 0) return 0;
    if (order->fail-- > 0) return order->error;
  }
  return 0;
}

static void set_up(void) {
  const char *in = getenv("RECORD_FOLDER"), *to = getenv("RECORD_LOG");
  if (!in || !to) return;
  snprintf(folder, sizeof folder, "%s", in);
  folder_length = strlen(folder);
  fail_every = atol(getenv("RECORD_FAIL_EVERY") ?: "0");
  sync_us = atol(getenv("RECORD_SYNC_US") ?: "0");
  char shared[4200];
  snprintf(shared, sizeof shared, "%s.failures", to);
  int memory = syscall(SYS_openat, AT_FDCWD, shared, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (memory < 0 || syscall(SYS_ftruncate, memory, FILES * sizeof *failures)) abort();
  failures = mmap(NULL, FILES * sizeof *failures, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
  if (failures == MAP_FAILED) abort();
  log_file = syscall(SYS_openat, AT_FDCWD, to, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}
__attribute__((constructor)) static void begin(void) { set_up(); }

/* The name within the folder, "" for the folder itself; NULL for others, and for the index of the log, which no start reads. */
static const char *within(const char *path) {
  if (log_file < 0 || !path || strncmp(path, folder, folder_length)) return NULL;
  const char *name = path + folder_length;
  if (*name == 0) return name;
  size_t length = strlen(name);
  return *name != '/' || (length > 4 && !strcmp(name + length - 4, "-shm")) ? NULL : name + 1;
}

static void record(char type, ino_t file, uint64_t offset, const void *data, uint32_t length) {
  char head[33];
  uint32_t thread = syscall(SYS_gettid);
  uint64_t number = file;
  memcpy(head, mark, 8);
  head[8] = type;
  memcpy(head + 9, &thread, 4);
  memcpy(head + 13, &number, 8);
  memcpy(head + 21, &offset, 8);
  memcpy(head + 29, &length, 4);
  struct iovec parts[2] = {{head, sizeof head}, {(void *)data, length}};
  if (syscall(SYS_writev, log_file, parts, 2) < 0) abort();
}

static ino_t number_of(int file) {
  struct stat found;
  if (log_file < 0 || file < 0 || file >= FILES || !known[file] || fstat(file, &found)) return 0;
  return found.st_ino == known[file] ? known[file] : 0;
}

static int opened(int file, const char *path, int flags) {
  const char *name = within(path);
  struct stat found;
  if (file < 0 || file >= FILES) return file;
  known[file] = 0;
  if (!name || fstat(file, &found)) return file;
  known[file] = found.st_ino;
  told[file] = failures[found.st_ino % FILES];
  pthread_mutex_lock(&lock);
  record('O', found.st_ino, 0, name, strlen(name));
  if (flags & O_TRUNC) record('T', found.st_ino, 0, "", 0);
  pthread_mutex_unlock(&lock);
  return file;
}

#define OPEN(name) \
  int name(const char *path, int flags, ...) { \
    va_list rest; \
    va_start(rest, flags); \
    int mode = va_arg(rest, int); \
    va_end(rest); \
    REAL(name); \
    return opened(real(path, flags, mode), path, flags); \
  }
OPEN(open)
OPEN(open64)
#define OPENAT(name) \
  int name(int at, const char *path, int flags, ...) { \
    va_list rest; \
    va_start(rest, flags); \
    int mode = va_arg(rest, int); \
    va_end(rest); \
    REAL(name); \
    return opened(real(at, path, flags, mode), path, flags); \
  }
OPENAT(openat)
OPENAT(openat64)

#define PWRITE(name, offset_type) \
  ssize_t name(int file, const void *data, size_t length, offset_type offset) { \
    REAL(name); \
    ino_t number = number_of(file); \
    if (!number) return real(file, data, length, offset); \
    pthread_mutex_lock(&lock); \
    int error = error_ordered(number, 1); \
    ssize_t done = error ? -1 : real(file, data, length, offset); \
    if (error) errno = error; \
    if (done > 0) record('W', number, offset, data, done); \
    pthread_mutex_unlock(&lock); \
    return done; \
  }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

ssize_t write(int file, const void *data, size_t length) {
  REAL(write);
  ino_t number = number_of(file);
  if (!number) return real(file, data, length);
  pthread_mutex_lock(&lock);
  ssize_t done = real(file, data, length);
  if (done > 0) record('W', number, lseek(file, 0, SEEK_CUR) - done, data, done);
  pthread_mutex_unlock(&lock);
  return done;
}

#define FTRUNCATE(name, length_type) \
  int name(int file, length_type length) { \
    REAL(name); \
    ino_t number = number_of(file); \
    if (!number) return real(file, length); \
    pthread_mutex_lock(&lock); \
    int done = real(file, length); \
    if (!done) record('T', number, length, "", 0); \
    pthread_mutex_unlock(&lock); \
    return done; \
  }
FTRUNCATE(ftruncate, off_t)
FTRUNCATE(ftruncate64, off64_t)

static int fails(void) {
  if (!fail_every) return 0;
  /* not in step with what a program does again and again */
  uint32_t mixed = (uint32_t)(atomic_fetch_add(&syncs, 1) + getpid()) * 2654435761u;
  return (mixed >> 16) % fail_every == 0;
}

static int synced(int file, ino_t number, int is_folder) {
  uint32_t *of_file = &failures[number % FILES];
  record('B', number, 0, "", 0);
  if (sync_us) usleep(sync_us);
  pthread_mutex_lock(&lock);
  int error = error_ordered(number, 0);
  pthread_mutex_unlock(&lock);
  int has_failed = error || (!is_folder && fails());
  if (has_failed) __sync_fetch_and_add(of_file, 1);
  /* one that is told of an earlier failure has written its own pages */
  record(has_failed ? 'F' : 'E', number, 0, "", 0);
  if (told[file] == *of_file) return 0;
  told[file] = *of_file;
  errno = error ? error : EIO;
  return -1;
}
#define SYNC(name) \
  int name(int file) { \
    REAL(name); \
    ino_t number = number_of(file); \
    struct stat found; \
    return number ? synced(file, number, !fstat(file, &found) && S_ISDIR(found.st_mode)) : real(file); \
  }
SYNC(fsync)
SYNC(fdatasync)

int unlink(const char *path) {
  REAL(unlink);
  const char *name = within(path);
  if (!name) return real(path);
  pthread_mutex_lock(&lock);
  if (*name == '!') {
    take_order(name);
    pthread_mutex_unlock(&lock);
    return 0;
  }
  int done = real(path);
  if (!done) record('U', 0, 0, name, strlen(name));
  pthread_mutex_unlock(&lock);
  return done;
}

static void record_names(char type, const char *from, const char *to) {
  char both[8192];
  int length = snprintf(both, sizeof both, "%s%c%s", from, 0, to);
  record(type, 0, 0, both, length);
}
int link(const char *from, const char *to) {
  REAL(link);
  const char *old = within(from), *new = within(to);
  if (!old || !new) return real(from, to);
  pthread_mutex_lock(&lock);
  int done = real(from, to);
  if (!done) record_names('L', old, new);
  pthread_mutex_unlock(&lock);
  return done;
}
int rename(const char *from, const char *to) {
  REAL(rename);
  const char *old = within(from), *new = within(to);
  if (!old || !new) return real(from, to);
  pthread_mutex_lock(&lock);
  int done = real(from, to);
  if (!done) record_names('R', old, new);
  pthread_mutex_unlock(&lock);
  return done;
}
