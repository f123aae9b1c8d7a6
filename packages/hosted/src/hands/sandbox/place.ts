import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { chmod, lstat, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { StewardError } from '@steward/contract'
import type { PlaceName } from './sandbox.ts'

/** What of a session lies on the host, and outlives its sandboxes. */
export interface Place {
  folder: string
  /** The user that everything of the session belongs to, when it is not this process's own. */
  owner: number | undefined
}

export const PLACE_NAMES: readonly PlaceName[] = ['workspace', 'outputs', 'uploads', 'home', 'tmp']
const SAFE_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/

/** One folder a session; an id that is no plain name is hashed to be one. */
export const locateSession = (home: string, sessionId: string): string => {
  const name = SAFE_NAME.test(sessionId) ? sessionId : `x-${hash(sessionId).toString('hex')}`
  return join(home, 'hosted', 'workspaces', name)
}

/** Users that no system hands out; a session has the same one again after a restart. */
const FIRST_OWNER = 1_900_000_000
const OWNERS = 100_000_000

export const chooseOwner = (sessionId: string): number =>
  FIRST_OWNER + (hash(sessionId).readUInt32BE(0) % OWNERS)

const hash = (text: string): Buffer => createHash('sha256').update(text).digest()

export const createPlace = async (folder: string, owner: number | undefined): Promise<Place> => {
  await mkdir(folder, { recursive: true })
  // The folder itself is the server's; the session's user has to pass through it and no more.
  await chmod(folder, owner === undefined ? 0o700 : 0o711)
  for (const name of PLACE_NAMES) {
    await mkdir(join(folder, name), { recursive: true, mode: 0o700 })
    if (owner !== undefined) await giveTo(join(folder, name), owner)
  }
  return { folder, owner }
}

/** With everything in it, unless it is theirs already. Links are not followed. */
export const giveTo = async (path: string, owner: number): Promise<void> => {
  if ((await lstat(path)).uid === owner) return
  await runTool('chown', ['-R', '-h', '-P', `${owner}:${owner}`, '--', path])
}

/** Everybody may read it and nobody but its owner change it; no file in it gives its owner's rights. */
export const shareWithAll = (path: string): Promise<void> =>
  runTool('chmod', ['-R', 'a+rX,go-w,ug-s', '--', path])

/**
 * Gone with everything in it. The system's own programs do it: they walk by descriptors, so that no
 * depth of folders stops them, and whoever made a folder unreadable is not in the way.
 */
export const deletePlace = async (folder: string): Promise<void> => {
  const info = await lstat(folder).catch(() => undefined)
  if (info === undefined) return
  if (process.getuid?.() !== 0) await runTool('chmod', ['-R', 'u+rwX', '--', folder])
  await runTool('rm', ['-rf', '--', folder])
}

const runTool = async (command: string, args: readonly string[]): Promise<void> => {
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(0, 1000)
  })
  const [code] = await once(child, 'close')
  if (code === 0) return
  throw new StewardError('sandbox_unavailable', { reason: `${command} failed: ${said.trim()}` })
}
