import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fail, ok, type Result, StewardError, toStewardError } from '@steward/contract'
import { createBubblewrap } from './bubblewrap.ts'
import { explainFailure } from './explain-failure.ts'
import { DEFAULT_PATH, findCommand } from './find-command.ts'
import { runProcess } from './run-process.ts'
import type { Sandbox } from './sandbox.ts'
import { createSandboxExec, SANDBOX_EXEC } from './sandbox-exec.ts'

export interface DetectOptions {
  platform?: NodeJS.Platform
  /** The search path for commands, including the person's own folders. */
  path?: string
}

const PROBE_TIMEOUT_MS = 10_000

/**
 * The working sandbox of this machine, verified by running a command inside. Without one, the error
 * explains why and what would help.
 */
export const detectSandbox = async ({
  platform = process.platform,
  path = process.env.PATH ?? DEFAULT_PATH,
}: DetectOptions = {}): Promise<Result<Sandbox>> => {
  if (platform === 'linux') return detectBubblewrap(path)
  if (platform === 'darwin') return detectSandboxExec(path)
  return unavailable(`Steward has no sandbox for ${platform}`)
}

const unavailable = (reason: string, cause?: unknown) =>
  fail(new StewardError('sandbox_unavailable', { reason }, cause))

const detectBubblewrap = async (path: string): Promise<Result<Sandbox>> => {
  const found = findCommand('bwrap', `${path}:${DEFAULT_PATH}`)
  if (!found.ok) return unavailable('bubblewrap is not installed', found.error)
  const bwrap = found.value
  const sandbox = createBubblewrap({ bwrap, path, canSizeTmp: await knowsSize(bwrap) })
  const problem = await probe(sandbox, '/bin/true')
  if (problem === undefined) return ok(sandbox)
  const { reason } = problem.details
  return unavailable(explainFailure(typeof reason === 'string' ? reason : problem.message), problem)
}

const detectSandboxExec = async (path: string): Promise<Result<Sandbox>> => {
  const found = findCommand(SANDBOX_EXEC, path)
  if (!found.ok) return unavailable(`${SANDBOX_EXEC} is not there`, found.error)
  const sandbox = createSandboxExec({ path })
  const problem = await probe(sandbox, '/usr/bin/true')
  return problem === undefined ? ok(sandbox) : unavailable(problem.message, problem)
}

/** Runs `true` inside; returns the error, if any. */
const probe = async (sandbox: Sandbox, command: string): Promise<StewardError | undefined> => {
  const cwd = await mkdtemp(join(tmpdir(), 'steward-probe-'))
  try {
    const { code, stderr, timedOut } = await sandbox.run([command], {
      cwd,
      env: {},
      timeoutMs: PROBE_TIMEOUT_MS,
      network: false,
      maxOutputBytes: 10_000,
    })
    if (code === 0) return undefined
    const reason = timedOut ? 'it does not answer' : stderr.trim() || `it ended with code ${code}`
    return new StewardError('sandbox_unavailable', { reason })
  } catch (thrown) {
    return toStewardError(thrown, 'sandbox_unavailable')
  } finally {
    await rm(cwd, { recursive: true, force: true })
  }
}

const knowsSize = async (bwrap: string): Promise<boolean> => {
  const options = { cwd: '/', env: {}, timeoutMs: PROBE_TIMEOUT_MS, maxOutputBytes: 100_000 }
  const { stdout } = await runProcess(bwrap, ['--help'], options)
  return stdout.includes('--size ')
}
