import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fail, ok, type Result, StewardError, toStewardError } from '@steward/contract'
import { DEFAULT_PATH, explainFailure, findCommand } from '@steward/platform'
import { DEFAULT_LIMITS, type Limiter } from '../limits/limits.ts'
import { chooseOwner } from '../place.ts'
import type { Running } from '../running.ts'
import type { SandboxDriver } from '../sandbox.ts'
import { encode } from '../seccomp/bpf.ts'
import { buildFilter } from '../seccomp/build-filter.ts'
import { type BubblewrapOptions, provisionBubblewrap } from './bubblewrap.ts'
import type { BubblewrapFeatures } from './profile.ts'

export interface OpenBubblewrapOptions {
  home: string
  limiter: Limiter
  running: Running
  path?: string
  isRoot?: boolean
  architecture?: NodeJS.Architecture
}

/** The driver, verified by running a program inside. The error says how to fix it. */
export const openBubblewrap = async (
  options: OpenBubblewrapOptions,
): Promise<Result<SandboxDriver>> => {
  const { limiter, running, isRoot = process.getuid?.() === 0 } = options
  const found = findCommand('bwrap', `${options.path ?? process.env.PATH ?? ''}:${DEFAULT_PATH}`)
  if (!found.ok) return unavailable('bubblewrap is not installed', found.error)
  const seccomp = compileFilter(options.architecture ?? process.arch)
  const base: BubblewrapOptions = {
    bwrap: found.value,
    features: readFeatures(found.value),
    limiter,
    running,
    seccomp,
    ownerOf: () => undefined,
    systemBinds: await writeSystemFiles(options.home),
  }
  const remarks = [
    ...limiter.remarks,
    ...(seccomp === undefined ? [`there is no system call filter for ${process.arch}`] : []),
  ]
  const drive = (chosen: BubblewrapOptions, more: readonly string[]): SandboxDriver => ({
    report: {
      driver: 'bubblewrap',
      isolated: true,
      limits: limiter.kind,
      seccomp: seccomp !== undefined,
      remarks: [...remarks, ...more],
    },
    provision: (spec, limits) => provisionBubblewrap(spec, limits, chosen),
  })

  const owned = { ...base, ownerOf: chooseOwner }
  const problemOfOwned = isRoot ? await probe(owned) : 'only root can'
  if (problemOfOwned === undefined) return ok(drive(owned, []))
  const problem = await probe(base)
  if (problem !== undefined) return unavailable(explainFailure(problem))
  const asRoot = `sessions run as root on the host without its privileges, because separate users do not work here: ${problemOfOwned}`
  return ok(drive(base, isRoot ? [asRoot] : []))
}

const unavailable = (reason: string, cause?: unknown) =>
  fail(new StewardError('sandbox_unavailable', { reason }, cause))

const compileFilter = (architecture: NodeJS.Architecture): Uint8Array | undefined =>
  architecture === 'x64' || architecture === 'arm64' ? encode(buildFilter(architecture)) : undefined

const PROBE_TIMEOUT_MS = 10_000

const probe = async (options: BubblewrapOptions): Promise<string | undefined> => {
  const folder = await mkdtemp(join(tmpdir(), 'steward-probe-'))
  try {
    const spec = {
      ...{ sessionId: 'probe', workspace: join(folder, 'session'), binds: [], env: {} },
      ...{ network: 'none' as const, sockets: [], companions: [] },
    }
    const sandbox = await provisionBubblewrap(spec, DEFAULT_LIMITS, options)
    const outcome = await sandbox.run(['/bin/true'], {
      timeoutMs: PROBE_TIMEOUT_MS,
      maxOutputBytes: 4096,
    })
    await sandbox.destroy()
    if (outcome.code === 0) return undefined
    if (outcome.timedOut) return 'it does not respond'
    const said = Buffer.from(outcome.output).toString().trim()
    return outcome.problem ?? (said || `it exited with code ${outcome.code}`)
  } catch (thrown) {
    return toStewardError(thrown, 'sandbox_unavailable').message
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The list of users inside: only the session's own and none of the host's. */
const writeSystemFiles = async (home: string): Promise<BubblewrapOptions['systemBinds']> => {
  const folder = join(home, 'hosted', 'etc')
  await mkdir(folder, { recursive: true })
  const files = {
    passwd:
      'root:x:0:0:root:/nonexistent:/bin/false\nagent:x:1000:1000:agent:/home/agent:/bin/bash\n' +
      'nobody:x:65534:65534:nobody:/nonexistent:/bin/false\n',
    group: 'root:x:0:\nagent:x:1000:\nnogroup:x:65534:\n',
  }
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(folder, name), text, { mode: 0o644 })
  }
  return Object.keys(files).map((name) => ({
    host: join(folder, name),
    inside: `/etc/${name}`,
    mode: 'ro' as const,
  }))
}

/** Detected from its help text. */
const readFeatures = (bwrap: string): BubblewrapFeatures => {
  const help = spawnSync(bwrap, ['--help'], { encoding: 'utf8', timeout: 10_000 }).stdout ?? ''
  return { size: help.includes('--size '), disableUserns: help.includes('--disable-userns') }
}
