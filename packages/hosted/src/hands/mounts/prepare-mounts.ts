import { createHash } from 'node:crypto'
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import {
  findMountRefusal,
  reasonOf,
  SESSION_FOLDERS,
  type SessionError,
  StewardError,
} from '@steward/contract'
import type { Sandbox as CommandSandbox } from '@steward/platform'
import type { EgressOptions } from '../egress/egress.ts'
import type { MemoryMount, Mount, SkillFile } from '../hands.ts'
import type { Sandbox, SandboxBind } from '../sandbox/sandbox.ts'
import { cloneRepository } from './clone-repository.ts'
import { findRepositorySkills } from './find-repository-skills.ts'
import { type MountedMemory, mountMemory } from './mount-memory.ts'

export interface PrepareOptions {
  sessionId: string
  /** A session's folder on the host that is never mounted as a whole. */
  folder: string
  /** The sandbox in which git runs; throws if there is none. */
  sandbox: () => Promise<CommandSandbox>
  reach?: Pick<EgressOptions, 'dial' | 'upstreamCa' | 'onDecision'>
  signal?: AbortSignal
}

export interface PreparedMounts {
  binds: SandboxBind[]
  /** Files to be copied from inside, because the session can write to their destination. */
  copies: Array<{ from: string; to: string }>
  memories: MountedMemory[]
  errors: SessionError[]
  /** What the model is told with the result of its first call. */
  notes: string[]
}

/** Where files wait inside until they are copied to their destination. */
const STAGED = '/run/steward/mounts'

/**
 * Fetches the session's mounts once and reuses them for later sandboxes. A failed mount is
 * reported, and the session continues without it. Mounted files are read-only; repositories are
 * writable.
 */
export const prepareMounts = async (
  mounts: readonly Mount[],
  options: PrepareOptions,
): Promise<PreparedMounts> => {
  const prepared: PreparedMounts = { binds: [], copies: [], memories: [], errors: [], notes: [] }
  await mkdir(options.folder, { recursive: true, mode: 0o700 })
  for (const mount of mounts) {
    const name = createHash('sha256').update(`${mount.id} ${mount.path}`).digest('hex').slice(0, 24)
    const host = join(options.folder, name)
    if (mount.type === 'memory') {
      await addMemory(mount, host, prepared)
      continue
    }
    const error = await fetchMount(mount, host, name, options)
    if (error === undefined && mount.type === 'repository')
      prepared.notes.push(...(await announceSkills(host, mount.path)))
    if (error !== undefined) {
      prepared.errors.push(error)
    } else if (isSessionOwned(mount.path)) {
      prepared.binds.push({ host, inside: `${STAGED}/${name}`, mode: 'ro' })
      prepared.copies.push({ from: `${STAGED}/${name}`, to: mount.path })
    } else {
      prepared.binds.push({ host, inside: mount.path, mode: mount.type === 'file' ? 'ro' : 'rw' })
    }
  }
  return prepared
}

const announceSkills = async (host: string, path: string): Promise<string[]> => {
  const skills = await findRepositorySkills(host, path)
  if (skills.length === 0) return []
  const about = `the repository ${path} has skills; read the file of a skill when a task matches it`
  return [`${about}:\n${skills.join('\n')}`]
}

const addMemory = async (
  mount: MemoryMount,
  host: string,
  prepared: PreparedMounts,
): Promise<void> => {
  try {
    prepared.memories.push(await mountMemory(mount, host))
    const mode = mount.access === 'read_only' ? 'ro' : 'rw'
    prepared.binds.push({ host, inside: mount.path, mode })
  } catch (thrown) {
    const message = `${mount.path}: ${reasonOf(thrown)}`
    prepared.errors.push({
      ...{ type: 'unknown_error', message, retry_status: { type: 'terminal' } },
    })
  }
}

const fetchMount = async (
  mount: Exclude<Mount, MemoryMount>,
  host: string,
  name: string,
  { sessionId, folder, sandbox, reach = {}, signal }: PrepareOptions,
): Promise<SessionError | undefined> => {
  const fail = (reason: string): SessionError => ({
    ...{ message: `${mount.path}: ${reason}`, retry_status: { type: 'terminal' } },
    ...(mount.type === 'repository'
      ? { type: 'repository_clone_error', repository_url: mount.url }
      : { type: 'unknown_error' }),
  })
  const refusal = findMountRefusal(mount.path)
  if (refusal !== undefined) return fail(refusal)
  if (
    await stat(host).then(
      () => true,
      () => false,
    )
  )
    return undefined
  try {
    if (mount.type === 'repository') {
      return await cloneRepository(mount, {
        ...{ sessionId, parent: folder, name, reach, sandbox: await sandbox() },
        ...(signal === undefined ? {} : { signal }),
      })
    }
    if (mount.type === 'skill') await writeFolder(`${host}.part`, await mount.read())
    else await writeFile(`${host}.part`, await mount.read(), { mode: 0o644 })
    await rename(`${host}.part`, host)
    return undefined
  } catch (thrown) {
    signal?.throwIfAborted()
    return fail(reasonOf(thrown))
  }
}

const writeFolder = async (folder: string, files: readonly SkillFile[]): Promise<void> => {
  await rm(folder, { recursive: true, force: true })
  for (const { path, bytes, isProgram } of files) {
    const place = join(folder, path)
    await mkdir(dirname(place), { recursive: true, mode: 0o755 })
    await writeFile(place, bytes, { mode: isProgram ? 0o755 : 0o644 })
  }
}

const COPY_TIMEOUT_MS = 10 * 60_000
/**
 * An existing file belongs to the session by now, so it is kept. Renaming in the last step prevents
 * half a copy.
 */
const COPY = [
  '[ -e "$2" ] || [ -L "$2" ] && exit 0',
  'mkdir -p -- "$(dirname -- "$2")" && rm -rf -- "$2.part" || exit 1',
  'cp -R --no-dereference --preserve=mode,timestamps -- "$1" "$2.part" && chmod -R u+w -- "$2.part"',
  'mv -T -- "$2.part" "$2"',
].join('\n')

/** Copies with programs inside, so that no link left by the session can lead outside. */
export const copyInside = async (
  sandbox: Sandbox,
  copies: PreparedMounts['copies'],
  signal: AbortSignal,
): Promise<void> => {
  for (const { from, to } of copies) {
    const { code, output, problem } = await sandbox.run(
      ['/bin/bash', '--noprofile', '--norc', '-c', COPY, 'copy', from, to],
      { timeoutMs: COPY_TIMEOUT_MS, maxOutputBytes: 4096, signal },
    )
    if (code === 0) continue
    const reason = problem ?? Buffer.from(output).toString().trim()
    throw new StewardError('sandbox_unavailable', {
      reason: `${to} could not be copied: ${reason}`,
    })
  }
}

/** Whether the session can write there, so that nothing may be mounted or written from outside. */
const isSessionOwned = (path: string): boolean =>
  Object.values(SESSION_FOLDERS).some((root) => isAt(path, root))

const isAt = (path: string, root: string): boolean => path === root || path.startsWith(`${root}/`)
