import { fail, ok, type Result } from '@steward/contract'
import { createBubblewrap } from './bubblewrap.ts'
import { detectBubblewrap, sandboxUnavailable } from './detect-bubblewrap.ts'
import { DEFAULT_PATH, findCommand } from './find-command.ts'
import { probeSandbox } from './probe-sandbox.ts'
import type { Sandbox } from './sandbox.ts'
import { createSandboxExec, SANDBOX_EXEC } from './sandbox-exec.ts'

export interface DetectOptions {
  platform?: NodeJS.Platform
  /** The search path for commands, including the person's own folders. */
  path?: string
}

/**
 * The working sandbox of this machine, verified by running a command inside. Without one, the error
 * explains why and what would help.
 */
export const detectSandbox = async ({
  platform = process.platform,
  path = process.env.PATH ?? DEFAULT_PATH,
}: DetectOptions = {}): Promise<Result<Sandbox>> => {
  if (platform === 'linux') {
    return detectBubblewrap(path, (installed) =>
      tryOut(createBubblewrap({ ...installed, path }), '/bin/true'),
    )
  }
  if (platform === 'darwin') return detectSandboxExec(path)
  return sandboxUnavailable(`Steward has no sandbox for ${platform}`)
}

const detectSandboxExec = async (path: string): Promise<Result<Sandbox>> => {
  const found = findCommand(SANDBOX_EXEC, path)
  if (!found.ok) return sandboxUnavailable(`${SANDBOX_EXEC} is not there`, found.error)
  return tryOut(createSandboxExec({ path }), '/usr/bin/true')
}

const tryOut = async (sandbox: Sandbox, command: string): Promise<Result<Sandbox>> => {
  const problem = await probeSandbox(async ({ folder, timeoutMs, maxOutputBytes }) => {
    const { code, stderr, timedOut } = await sandbox.run([command], {
      cwd: folder,
      env: {},
      timeoutMs,
      network: false,
      maxOutputBytes,
    })
    return { code, timedOut, said: stderr }
  })
  return problem === undefined ? ok(sandbox) : fail(problem)
}
