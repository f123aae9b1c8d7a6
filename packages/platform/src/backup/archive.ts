import { createReadStream, createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { reasonOf, StewardError } from '@steward/contract'
import { createTarDecoder, createTarPacker } from 'modern-tar'

interface ArchiveEntry {
  name: string
  size: number
  mode: number
  mtime: Date
}

export interface ArchiveWriter {
  add(entry: ArchiveEntry, content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void>
  /** Resolves when the whole archive is on the disk. */
  finish(): Promise<void>
  /** Stops writing and leaves the file as it is. */
  abort(reason: unknown): Promise<void>
}

/** Creates a gzipped tar file that only its owner can read. */
export const writeArchive = (file: string): ArchiveWriter => {
  const { readable, controller } = createTarPacker()
  const written = pipeline(
    Readable.from(readable),
    createGzip(),
    createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true }),
  ).catch((thrown: unknown) => {
    throw new StewardError('storage_failed', { path: file, reason: reasonOf(thrown) }, thrown)
  })
  // The next call that adds an entry or finishes reports the failure.
  written.catch(() => undefined)
  /** A write to a failed stream may never settle. */
  const orFailure = async (work: Promise<unknown>): Promise<void> => {
    work.catch(() => undefined)
    await Promise.race([work, written])
  }
  return {
    add: async (entry, content) => {
      const writer = controller.add({ ...entry, type: 'file' }).getWriter()
      for await (const chunk of content) await orFailure(writer.write(chunk))
      await orFailure(writer.close())
    },
    finish: async () => {
      controller.finalize()
      await written
    },
    abort: async (reason) => {
      controller.error(reason)
      await written.catch(() => undefined)
    },
  }
}

export interface ReadEntry extends ArchiveEntry {
  type: string
  content: AsyncIterable<Uint8Array>
}

/** Calls `onEntry` for each entry in order; it must read the entry's content. */
export const readArchive = async (
  file: string,
  onEntry: (entry: ReadEntry) => Promise<void>,
): Promise<void> => {
  const { readable, writable } = createTarDecoder({ strict: true })
  const source = createReadStream(file)
  const gunzip = createGunzip()
  const writer = writable.getWriter()
  const filled = pipeline(source, gunzip, async (chunks: AsyncIterable<Uint8Array>) => {
    for await (const chunk of chunks) await writer.write(chunk)
    await writer.close()
  })
  // Otherwise the reader of an entry in a truncated file would wait indefinitely.
  filled.catch((thrown: unknown) => writer.abort(thrown).catch(() => undefined))
  try {
    for await (const { header, body } of readable) {
      const { name, size, mode = 0o600, mtime = new Date(0), type = 'file' } = header
      await onEntry({ name, size, mode, mtime, type, content: body })
    }
    await filled
  } catch (thrown) {
    source.destroy()
    gunzip.destroy()
    await filled.catch(() => undefined)
    if (thrown instanceof StewardError) throw thrown
    throw new StewardError('backup_unusable', { file, reason: reasonOf(thrown) }, thrown)
  }
}
