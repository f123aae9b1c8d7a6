import type { RunOutcome } from '../sandbox/sandbox.ts'
import { SandboxGone, type ToolContext } from './tool.ts'

const SCRIPT_TIMEOUT_MS = 60_000

export interface ScriptRun {
  args: readonly string[]
  maxOutputBytes: number
  stdin?: Uint8Array | string
}

/**
 * Runs one of the tools' scripts inside. Paths are never checked outside: links are resolved
 * inside, and nothing can be swapped between check and use.
 */
export const runScript = async (
  { sandbox, signal }: ToolContext,
  script: string,
  run: ScriptRun,
): Promise<RunOutcome & { text: string }> => {
  const outcome = await sandbox.run(
    ['/bin/bash', '--noprofile', '--norc', '-c', script, 'tool', ...run.args],
    {
      timeoutMs: SCRIPT_TIMEOUT_MS,
      maxOutputBytes: run.maxOutputBytes,
      limits: 'process',
      signal,
      ...(run.stdin === undefined ? {} : { stdin: run.stdin }),
    },
  )
  if (outcome.problem !== undefined) throw new SandboxGone(outcome.problem)
  return { ...outcome, text: new TextDecoder().decode(outcome.output) }
}
