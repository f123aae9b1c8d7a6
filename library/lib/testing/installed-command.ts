import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Shell } from '@steward/contract'
import { detectSandbox } from '@steward/platform'
import { createShell } from '@steward/runner'
import { onTestFinished } from 'vitest'

const SYSTEM_PATH = '/usr/local/bin:/usr/bin:/bin'

/**
 * The product's sandboxed shell, on a machine where only this command is installed besides the
 * system's.
 */
export const shellWithCommand = async (name: string, script: string): Promise<Shell> => {
  const folder = await mkdtemp(join(tmpdir(), 'steward-library-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, name), `#!/bin/sh\n${script}`)
  await chmod(join(folder, name), 0o755)
  return createSandboxedShell(`${folder}:${SYSTEM_PATH}`)
}

/** The same without anything installed. */
export const shellWithoutCommands = (): Promise<Shell> => createSandboxedShell('/nonexistent')

const createSandboxedShell = async (path: string): Promise<Shell> => {
  const sandbox = await detectSandbox()
  if (!sandbox.ok) throw sandbox.error
  return createShell({
    sandbox: sandbox.value,
    withoutSandbox: 'refuse',
    network: true,
    env: { PATH: path },
  })
}
