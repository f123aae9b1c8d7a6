import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { findMemoryContentFault, findMemoryPathFault, HOSTED_LIMITS } from '@steward/contract'
import { takeVersion, withVersion } from '@steward/platform'
import { z } from 'zod'
import type { LocalChange, MemoryMount } from '../hands.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { writeBytes } from '../tools/files.ts'
import { listOutputs, openOutput } from './list-outputs.ts'

/** A memory store as a folder of a session. */
export interface MountedMemory {
  mount: MemoryMount
  /** The folder on the host. */
  host: string
  /** Refusals that the model already knows. */
  told: Set<string>
}

/** Per path, what the file and the memory had in common after the last exchange. */
const baseline = z.record(
  z.string(),
  z.object({ sha256: z.string(), sizeBytes: z.number(), modifiedAtMs: z.number() }),
)
type Baseline = z.infer<typeof baseline>

const hash = (bytes: Uint8Array | string): string =>
  createHash('sha256').update(bytes).digest('hex')

/** Creates the folder if the session never had it here; an existing one keeps unsaved changes. */
export const mountMemory = async (mount: MemoryMount, host: string): Promise<MountedMemory> => {
  const mounted = { mount, host, told: new Set<string>() }
  const exists = await stat(host).then(
    () => true,
    () => false,
  )
  if (exists) return mounted
  const { written } = await mount.exchange(new Map(), [])
  await rm(`${host}.part`, { recursive: true, force: true })
  await mkdir(`${host}.part`, { recursive: true, mode: 0o755 })
  for (const { path, content } of written) await writeOutside(`${host}.part`, path, content)
  await writeBaseline(host, await describeFolder(`${host}.part`, written))
  await rename(`${host}.part`, host)
  return mounted
}

/**
 * Exchanges changes between the folder and the store, and returns what the model should know. The
 * session's files are written by programs inside, so that no link leads outside.
 */
export const syncMemory = async (
  { mount, host, told }: MountedMemory,
  sandbox: Sandbox,
  signal: AbortSignal,
): Promise<string[]> => {
  const base = await readBaseline(host)
  const { local, changes, faults } = await findChanges(mount, host, base)
  const { written, deleted, refused } = await mount.exchange(local, changes)
  const isWritable = mount.access === 'read_write'
  const context = { sandbox, callId: mount.id, signal }
  for (const path of deleted)
    if (!isWritable) await rm(join(host, path), { force: true })
    else if (base[path] !== undefined) await deleteInside(sandbox, mount.path, path, signal)
  for (const { path, content } of written)
    if (faults.has(path)) continue
    else if (isWritable)
      await writeBytes(context, `${mount.path}${path}`, new TextEncoder().encode(content))
    else await writeOutside(host, path, content)
  const kept = [...local].filter(([path]) => !deleted.includes(path))
  const known = [...kept.map(([path, sha256]) => ({ path, sha256 })), ...written]
  await writeBaseline(host, await describeFolder(host, known))
  return [...refused, ...[...faults].map(([path, reason]) => ({ path, reason }))]
    .map(({ path, reason }) => `${mount.path}${path} was not saved: ${reason}`)
    .filter((note) => !told.has(note) && told.add(note))
}

interface Changes {
  /** The hashes of the files that can be memories. */
  local: Map<string, string>
  changes: LocalChange[]
  /** Files that cannot be memories, and why. */
  faults: Map<string, string>
}

const findChanges = async (
  { access }: MemoryMount,
  host: string,
  base: Baseline,
): Promise<Changes> => {
  const found: Changes = { local: new Map(), changes: [], faults: new Map() }
  for (const { path: relative, sizeBytes, modifiedAtMs } of await listFiles(host)) {
    const path = `/${relative}`
    const before = base[path]
    if (before?.sizeBytes === sizeBytes && before.modifiedAtMs === modifiedAtMs) {
      found.local.set(path, before.sha256)
      continue
    }
    const read = await readMemory(host, relative, sizeBytes)
    if ('fault' in read) {
      found.faults.set(path, read.fault)
      continue
    }
    const sha256 = hash(read.content)
    found.local.set(path, sha256)
    if (sha256 !== before?.sha256)
      found.changes.push({ path, content: read.content, base: before?.sha256 })
  }
  for (const [path, { sha256 }] of Object.entries(base))
    if (!found.local.has(path) && !found.faults.has(path))
      found.changes.push({ path, content: null, base: sha256 })
  return access === 'read_only' ? { ...found, changes: [] } : found
}

/** More than a store holds, so that files that cannot be saved are seen as well. */
const listFiles = (host: string) => listOutputs(host, HOSTED_LIMITS.memories + 1000)

const readMemory = async (
  host: string,
  path: string,
  sizeBytes: number,
): Promise<{ content: string } | { fault: string }> => {
  const pathFault = findMemoryPathFault(`/${path}`)
  if (pathFault !== undefined) return { fault: pathFault }
  if (sizeBytes > HOSTED_LIMITS.memoryBytes)
    return { fault: `it has more than ${HOSTED_LIMITS.memoryBytes} bytes` }
  try {
    const file = await openOutput(host, path)
    const bytes = await file.readFile().finally(() => file.close())
    const content = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    const fault = findMemoryContentFault(content)
    return fault === undefined ? { content } : { fault }
  } catch {
    return { fault: 'it is not a plain file of UTF-8 text' }
  }
}

/** Safe only where the session cannot write. */
const writeOutside = async (folder: string, path: string, content: string): Promise<void> => {
  const place = join(folder, path)
  await mkdir(dirname(place), { recursive: true, mode: 0o755 })
  await writeFile(place, content, { mode: 0o644 })
}

const DELETE = 'cd -- "$1" && rm -f -- "$2" && rmdir -p --ignore-fail-on-non-empty -- "$3"'

const deleteInside = async (
  sandbox: Sandbox,
  root: string,
  path: string,
  signal: AbortSignal,
): Promise<void> => {
  const relative = path.slice(1)
  const script = dirname(relative) === '.' ? 'cd -- "$1" && rm -f -- "$2"' : DELETE
  await sandbox.run(
    ['/bin/bash', '--noprofile', '--norc', '-c', script, 'tool', root, relative, dirname(relative)],
    { timeoutMs: 60_000, maxOutputBytes: 4096, limits: 'process', signal },
  )
}

const describeFolder = async (
  folder: string,
  known: readonly { path: string; sha256: string }[],
): Promise<Baseline> => {
  const hashes = new Map(known.map(({ path, sha256 }) => [path, sha256]))
  const files = await listFiles(folder)
  return Object.fromEntries(
    files.flatMap(({ path, sizeBytes, modifiedAtMs }) => {
      const sha256 = hashes.get(`/${path}`)
      return sha256 === undefined ? [] : [[`/${path}`, { sha256, sizeBytes, modifiedAtMs }]]
    }),
  )
}

const readBaseline = async (host: string): Promise<Baseline> =>
  baseline.parse(takeVersion(JSON.parse(await readFile(`${host}.json`, 'utf8')), `${host}.json`))

const writeBaseline = async (host: string, base: Baseline): Promise<void> => {
  await writeFile(`${host}.json.part`, JSON.stringify(withVersion(base)), { mode: 0o600 })
  await rename(`${host}.json.part`, `${host}.json`)
}
