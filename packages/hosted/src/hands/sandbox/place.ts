import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { chmod, lstat, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { StewardError } from '@steward/contract'
import type { PlaceName } from './sandbox.ts'

/** A session's data on the host, which outlives its sandboxes. */
export interface Place {
  folder: string
  /** The user that owns the session's files, if it is not this process's own. */
  owner: number | undefined
}

export const PLACE_NAMES: readonly PlaceName[] = ['workspace', 'outputs', 'uploads', 'home', 'tmp']
const SAFE_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/

/** One folder per session; an id that is not a plain file name is hashed. */
export const locateSession = (home: string, sessionId: string): string => {
  const name = SAFE_NAME.test(sessionId) ? sessionId : `x-${hash(sessionId).toString('hex')}`
  return join(home, 'hosted', 'workspaces', name)
}

/** User ids that no system assigns; a session keeps its id after a restart. */
const FIRST_OWNER = 1_900_000_000
const OWNERS = 100_000_000

export const chooseOwner = (sessionId: string): number =>
  FIRST_OWNER + (hash(sessionId).readUInt32BE(0) % OWNERS)

const hash = (text: string): Buffer => createHash('sha256').update(text).digest()

export const createPlace = async (folder: string, owner: number | undefined): Promise<Place> => {
  await mkdir(folder, { recursive: true })
  // The folder belongs to the server; the session's user may only pass through it.
  await chmod(folder, owner === undefined ? 0o700 : 0o711)
  for (const name of PLACE_NAMES) {
    await mkdir(join(folder, name), { recursive: true, mode: 0o700 })
    if (owner !== undefined) await giveTo(join(folder, name), owner)
  }
  return { folder, owner }
}

/** Changes the owner recursively unless it is already right. Does not follow links. */
export const giveTo = async (path: string, owner: number): Promise<void> => {
  if ((await lstat(path)).uid === owner) return
  await runTool('chown', ['-R', '-h', '-P', `${owner}:${owner}`, '--', path])
}

/** Readable by everybody, writable only by its owner, without setuid and setgid bits. */
export const shareWithAll = (path: string): Promise<void> =>
  runTool('chmod', ['-R', 'a+rX,go-w,ug-s', '--', path])

/**
 * Deletes the folder recursively. Uses the system's programs, which walk by descriptors, so that
 * neither deep nesting nor unreadable folders stop them.
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
