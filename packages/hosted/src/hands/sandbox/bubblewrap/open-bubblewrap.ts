import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fail, ok, type Result, StewardError } from '@steward/contract'
import {
  DEFAULT_PATH,
  describeRedirect,
  detectBubblewrap,
  findRedirectTools,
  type InstalledBubblewrap,
  probeSandbox,
} from '@steward/platform'
import { REDIRECT_PORT } from '../../egress/egress.ts'
import { hasSmallForwarder } from '../../egress/small-forwarder.ts'
import { DEFAULT_LIMITS, type Limiter } from '../limits/limits.ts'
import { chooseOwner } from '../place.ts'
import type { Running } from '../running.ts'
import type { SandboxDriver } from '../sandbox.ts'
import { encode } from '../seccomp/bpf.ts'
import { buildFilter } from '../seccomp/build-filter.ts'
import { type BubblewrapOptions, provisionBubblewrap } from './bubblewrap.ts'

export interface OpenBubblewrapOptions {
  home: string
  limiter: Limiter
  running: Running
  path?: string
  isRoot?: boolean
  architecture?: NodeJS.Architecture
  /** Finds the programs for DNS and TCP. */
  findTools?: typeof findRedirectTools
}

/** The driver, verified by running a program inside. The error says how to fix it. */
export const openBubblewrap = async (
  options: OpenBubblewrapOptions,
): Promise<Result<SandboxDriver>> =>
  detectBubblewrap(options.path ?? process.env.PATH ?? '', (installed) =>
    openInstalled(installed, options),
  )

const openInstalled = async (
  installed: InstalledBubblewrap,
  options: OpenBubblewrapOptions,
): Promise<Result<SandboxDriver>> => {
  const { limiter, running, isRoot = process.getuid?.() === 0 } = options
  const seccomp = compileFilter(options.architecture ?? process.arch)
  const base: BubblewrapOptions = {
    installed,
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
  const drive = async (
    chosen: BubblewrapOptions,
    more: readonly string[],
  ): Promise<SandboxDriver> => {
    const redirect = await openRedirect(chosen, options)
    const redirected = redirect.ok ? { ...chosen, redirect: redirect.value } : chosen
    return {
      report: {
        driver: 'bubblewrap',
        isolated: true,
        limits: limiter.kind,
        seccomp: seccomp !== undefined,
        network: redirect.ok ? 'tcp' : 'http',
        remarks: [...remarks, ...more, ...(redirect.ok ? [] : [describeHttpOnly(redirect.error)])],
      },
      provision: (spec, limits) => provisionBubblewrap(spec, limits, redirected),
    }
  }

  if (!isRoot) {
    const problem = await probe(base)
    return problem === undefined ? ok(await drive(base, [])) : fail(problem)
  }
  const owned = { ...base, ownerOf: chooseOwner }
  const problemOfOwned = await probe(owned)
  if (problemOfOwned === undefined) return ok(await drive(owned, []))
  const problem = await probe(base)
  if (problem !== undefined) return fail(problem)
  const { reason = problemOfOwned.message } = problemOfOwned.details
  return ok(
    await drive(base, [
      `sessions run as root on the host's side, without its rights, since users of their own do not work here: ${reason}`,
    ]),
  )
}

/** Redirected networks, verified by starting a program in one. */
const openRedirect = async (
  chosen: BubblewrapOptions,
  options: OpenBubblewrapOptions,
): Promise<Result<NonNullable<BubblewrapOptions['redirect']>>> => {
  if (!hasSmallForwarder())
    return fail(new StewardError('sandbox_unavailable', { reason: 'perl is missing' }))
  const { path = process.env.PATH ?? '', isRoot = process.getuid?.() === 0 } = options
  const { findTools = findRedirectTools } = options
  const tools = findTools(`${path}:${DEFAULT_PATH}`)
  if (!tools.ok) return tools
  const redirect = { setUp: describeRedirect(tools.value, REDIRECT_PORT), isRoot }
  const problem = await probe({ ...chosen, redirect }, 'redirected')
  return problem === undefined ? ok(redirect) : fail(problem)
}

const describeHttpOnly = ({ details, message }: StewardError): string =>
  `programs in sandboxes have no DNS and no TCP, only HTTP through the proxy: ${details.reason ?? message}`

const compileFilter = (architecture: NodeJS.Architecture): Uint8Array | undefined =>
  architecture === 'x64' || architecture === 'arm64' ? encode(buildFilter(architecture)) : undefined

const probe = (
  options: BubblewrapOptions,
  network: 'none' | 'redirected' = 'none',
): Promise<StewardError | undefined> =>
  probeSandbox(async ({ folder, timeoutMs, maxOutputBytes }) => {
    const spec = {
      ...{ sessionId: 'probe', workspace: join(folder, 'session'), binds: [], env: {} },
      ...{ network, sockets: [], companions: [] },
    }
    const sandbox = await provisionBubblewrap(spec, DEFAULT_LIMITS, options)
    const { code, timedOut, output, problem } = await sandbox.run(['/bin/true'], {
      timeoutMs,
      maxOutputBytes,
      companions: true,
    })
    await sandbox.destroy()
    return { code, timedOut, said: problem ?? Buffer.from(output).toString() }
  })

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
