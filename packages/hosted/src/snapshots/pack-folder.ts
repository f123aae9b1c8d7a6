import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import type { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { StewardError } from '@steward/contract'
import { isAbsent } from '@steward/platform'

/** Created again by every sandbox. */
const LEFT_OUT: ReadonlySet<string> = new Set(['tmp', 'uploads'])

/** The folders of a session that are kept; none if it has no folder. */
export const listKept = async (folder: string): Promise<string[]> => {
  const names = await readdir(folder).catch((thrown: unknown) => {
    if (isAbsent(thrown)) return []
    throw thrown
  })
  return names.filter((name) => !LEFT_OUT.has(name)).toSorted()
}

/**
 * Packs folders of a session. The system's program does not follow links, so that nothing outside is
 * packed. Files that change meanwhile are packed as they are found.
 */
export async function* packFolder(
  folder: string,
  names: readonly string[],
): AsyncGenerator<Uint8Array> {
  const packing = runTar(['-c', '-f', '-', '-C', folder, '--', ...names])
  const zipped = packing.stdout.pipe(createGzip({ level: 1 }))
  packing.stdout.once('error', (thrown) => zipped.destroy(thrown))
  try {
    for await (const piece of zipped) {
      if (piece instanceof Uint8Array) yield piece
    }
    // 1: a file changed or vanished meanwhile.
    const code = await packing.exited
    if (code > 1) throw new StewardError('sandbox_unavailable', { reason: packing.said() })
  } finally {
    packing.kill()
  }
}

/** Unpacks into an empty folder that only this process can enter. */
export const unpackInto = async (
  folder: string,
  content: AsyncIterable<Uint8Array>,
  only: readonly string[] = [],
): Promise<void> => {
  const unpacking = runTar(['-x', '-p', '--no-same-owner', '-f', '-', '-C', folder, '--', ...only])
  try {
    // The program may end before it has read the padding at the end, which breaks the pipe.
    const cut = await pipeline(content, createGunzip(), unpacking.stdin).catch(
      (thrown: unknown) => thrown,
    )
    const code = await unpacking.exited
    if (cut instanceof StewardError) throw cut
    if (code !== 0) throw new StewardError('sandbox_unavailable', { reason: unpacking.said() })
  } finally {
    unpacking.kill()
  }
}

interface Tar {
  stdin: Writable
  stdout: Readable
  exited: Promise<number>
  /** Its error output. */
  said: () => string
  kill: () => void
}

const runTar = (args: readonly string[]): Tar => {
  const child = spawn('tar', args, { stdio: ['pipe', 'pipe', 'pipe'] })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(0, 1000)
  })
  const exited = once(child, 'close').then(
    ([code]) => (typeof code === 'number' ? code : 2),
    (thrown: unknown) => {
      said = String(thrown)
      return 2
    },
  )
  return {
    stdin: child.stdin,
    stdout: child.stdout,
    exited,
    said: () => `tar failed: ${said.trim()}`,
    kill: () => void child.kill('SIGKILL'),
  }
}

/**
 * A hash of the names, sizes, times and modes below folders, which is cheaper than packing them;
 * undefined where the system's program cannot tell.
 */
export const fingerprintOf = async (
  folder: string,
  names: readonly string[],
): Promise<string | undefined> => {
  const format = '%p %y %s %T@ %C@ %m %l\\0'
  const child = spawn('find', [...names.map((name) => `./${name}`), '-printf', format], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const hash = createHash('sha256')
  const exited = once(child, 'close').then(
    ([code]) => code,
    () => 1,
  )
  for await (const piece of child.stdout) hash.update(piece)
  return (await exited) === 0 ? hash.digest('hex') : undefined
}
