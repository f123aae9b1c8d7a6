import { type StartTimer, startSystemTimer } from '@steward/platform'
import type { RunOptions, RunOutcome, SandboxProcess } from './sandbox.ts'

const TIMED_OUT_CODE = 124

/** Feeds a started program, keeps the first bytes of its output, and kills it at its timeout. */
export const runToEnd = async (
  start: () => SandboxProcess,
  options: RunOptions,
  startTimer: StartTimer = startSystemTimer,
): Promise<RunOutcome> => {
  options.signal?.throwIfAborted()
  const running = start()
  const chunks: Buffer[] = []
  let size = 0
  let truncated = false
  let timedOut = false
  const end = () => void running.kill()
  running.output.on('data', (chunk: Buffer) => {
    if (truncated) return
    const kept = chunk.subarray(0, options.maxOutputBytes - size)
    chunks.push(kept)
    size += kept.length
    if (kept.length === chunk.length) return
    truncated = true
    end()
  })
  const cancelTimer = startTimer(options.timeoutMs, () => {
    timedOut = true
    end()
  })
  options.signal?.addEventListener('abort', end, { once: true })
  const drained = new Promise<void>((resolve) => running.output.once('close', resolve))
  running.stdin.end(options.stdin ?? '')
  const code = await running.exited
  await drained
  cancelTimer()
  options.signal?.removeEventListener('abort', end)
  options.signal?.throwIfAborted()
  return {
    output: Buffer.concat(chunks),
    truncated,
    code: timedOut ? TIMED_OUT_CODE : code,
    timedOut,
    problem: running.readProblem() || undefined,
  }
}
