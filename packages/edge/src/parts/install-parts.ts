import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { StewardError } from '@steward/contract'
import { type EdgeParts, withLock } from '@steward/platform'
import { z } from 'zod'

export interface InstallPorts {
  env: Readonly<Record<string, string | undefined>>
  signal: AbortSignal
  onProgress: (done: number, total: number) => void
}

/** Another process may be fetching the same packages over a slow connection. */
const LOCK_WAIT_MS = 10 * 60_000

const NPM_CI = [
  'ci',
  // None of the packages needs its install script.
  '--ignore-scripts',
  '--omit=dev',
  '--no-audit',
  '--no-fund',
  '--loglevel=http',
  '--fetch-retry-mintimeout=1000',
  '--fetch-retry-maxtimeout=5000',
]

/**
 * Fetches the packages that the lockfile names, checks them against its checksums, and puts them in
 * place together with the sources. An interrupted installation leaves nothing in place. Removes the
 * parts of other versions.
 */
export const installEdgeParts = async (
  { source, folder }: EdgeParts,
  ports: InstallPorts,
): Promise<void> => {
  const parent = dirname(folder)
  await mkdir(parent, { recursive: true })
  await withLock(join(parent, 'install.lock'), () => install(source, folder, ports), {
    waitMs: LOCK_WAIT_MS,
  })
}

const install = async (source: string, folder: string, ports: InstallPorts): Promise<void> => {
  const parent = dirname(folder)
  const names = (await readdir(parent, { withFileTypes: true })).flatMap((entry) =>
    entry.isDirectory() ? [entry.name] : [],
  )
  if (names.includes(basename(folder))) return
  const draft = `${folder}.partial`
  await rm(draft, { recursive: true, force: true })
  try {
    await cp(source, draft, { recursive: true })
    await fetchPackages(draft, ports)
    await rename(draft, folder)
  } catch (thrown) {
    await rm(draft, { recursive: true, force: true })
    throw thrown
  }
  for (const name of names) await rm(join(parent, name), { recursive: true, force: true })
}

const fetchPackages = async (
  cwd: string,
  { env, signal, onProgress }: InstallPorts,
): Promise<void> => {
  const total = await countPackages(join(cwd, 'package-lock.json'))
  const child = spawn('npm', NPM_CI, { cwd, env, stdio: ['ignore', 'ignore', 'pipe'], signal })
  const ended = once(child, 'close').catch((thrown: unknown) => {
    signal.throwIfAborted()
    const reason = 'it comes with Node (https://nodejs.org)'
    throw new StewardError('command_missing', { command: 'npm', reason }, thrown)
  })
  const errors: string[] = []
  let done = 0
  onProgress(0, total)
  createInterface({ input: child.stderr }).on('line', (line) => {
    if (/^npm http fetch GET 200 .*\.tgz /.test(line)) onProgress(Math.min(++done, total), total)
    if (/^npm (error|ERR!) /.test(line)) errors.push(line.replace(/^npm (error|ERR!) /, ''))
  })
  const [code] = await ended
  if (code === 0) return
  const said = errors.filter((line) => !/complete log|^$/.test(line)).slice(0, MOST_LINES)
  const reason = `npm exited with ${code ?? 'a signal'}: ${said.join('; ') || 'no output'}; check the connection, then run steward edge install again`
  throw new StewardError('upstream_failed', { service: 'the npm registry', reason })
}

const MOST_LINES = 4

const lockfile = z.object({
  packages: z.record(
    z.string(),
    z.object({
      integrity: z.string().optional(),
      os: z.array(z.string()).optional(),
      cpu: z.array(z.string()).optional(),
    }),
  ),
})

/** How many packages npm fetches on this machine. */
const countPackages = async (file: string): Promise<number> => {
  const { packages } = lockfile.parse(JSON.parse(await readFile(file, 'utf8')))
  return Object.values(packages).filter(
    ({ integrity, os, cpu }) =>
      integrity !== undefined &&
      (os?.includes(process.platform) ?? true) &&
      (cpu?.includes(process.arch) ?? true),
  ).length
}

/** Removes the parts of this and of other versions; returns whether there were any. */
export const removeEdgeParts = async ({ folder }: EdgeParts): Promise<boolean> => {
  const parent = dirname(folder)
  const names = await readdir(parent).catch(() => [])
  await rm(parent, { recursive: true, force: true })
  return names.some((name) => name !== 'install.lock')
}
