import { tmpdir } from 'node:os'
import { StewardError } from '@steward/contract'
import { runProgram } from '@steward/edge'
import type { Io } from '../io.ts'

/** Whether the engine that wrangler builds images with is there and running. */
export const hasContainerEngine = async ({ env, signal }: Io): Promise<boolean> => {
  try {
    const { code } = await runProgram({
      program: env.WRANGLER_DOCKER_BIN || 'docker',
      args: ['info'],
      cwd: tmpdir(),
      env: Object.fromEntries(
        Object.entries(env).flatMap(([name, value]) =>
          value === undefined ? [] : [[name, value]],
        ),
      ),
      signal,
    })
    return code === 0
  } catch (thrown) {
    if (thrown instanceof StewardError && thrown.code === 'command_missing') return false
    throw thrown
  }
}
