/**
 * Replaces `node:fs/promises` in the hook's bundle. The hook works sequentially, and loading the
 * real module with its imports takes a tenth of a hook's time.
 */
import {
  closeSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  type ObjectEncodingOptions,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  type StatSyncOptions,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'

const later =
  <Given extends unknown[], Made>(work: (...given: Given) => Made) =>
  async (...given: Given): Promise<Made> =>
    work(...given)

export const mkdir = later(mkdirSync)
export const readdir = later((path: string, options?: ObjectEncodingOptions) =>
  readdirSync(path, options),
)
export const readFile = later(readFileSync)
export const rename = later(renameSync)
export const rm = later(rmSync)
export const stat = later(statSync)

/** Numeric flags are for terminals, which only the real module writes to without blocking. */
export const open = async (path: string, flags: string | number, mode?: number) =>
  typeof flags === 'number'
    ? process.getBuiltinModule('node:fs/promises').open(path, flags, mode)
    : handleOf(openSync(path, flags, mode))

/** The parts of a file handle that our code uses. */
const handleOf = (fd: number) => ({
  fd,
  close: later(() => closeSync(fd)),
  read: later((buffer: Buffer, ...place: [object] | [number, number, number]) => {
    const [first] = place
    const bytesRead =
      typeof first === 'object'
        ? readSync(fd, buffer, first)
        : readSync(fd, buffer, first, place[1] ?? buffer.length, place[2] ?? null)
    return { buffer, bytesRead }
  }),
  readFile: later((encoding: BufferEncoding) => readFileSync(fd, encoding)),
  stat: later((options?: StatSyncOptions) => fstatSync(fd, options)),
  sync: later(() => fsyncSync(fd)),
  truncate: later((bytes: number) => ftruncateSync(fd, bytes)),
  write: later((bytes: Buffer) => ({ buffer: bytes, bytesWritten: writeSync(fd, bytes) })),
  writeFile: later((text: string | Uint8Array) => writeFileSync(fd, text)),
})
