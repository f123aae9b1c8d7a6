import { spawn } from 'node:child_process'

/**
 * Ends when the process that it guards has ended, which closes its standard input; kills that process
 * when the time is over. Both parts of it are in a process group of their own and end together.
 */
const GUARD = '{ sleep "$2"; kill -KILL "$1"; } & read -r _; kill -TERM 0'

/**
 * Ends this process within a time, even if something blocks it: a call that blocks
 * the main thread, or Node itself, which may wait indefinitely for V8's compiler threads in `process.exit`
 * (nodejs/node#54918). Another process has to do that.
 */
export const guardEnd = (withinMs: number): void => {
  if (process.platform === 'win32') return
  const args = ['-c', GUARD, 'guard', String(process.pid), String(withinMs / 1000)]
  const guard = spawn('/bin/sh', args, { detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
  // Without a shell the process ends as it did before; it must not fail for that.
  guard.on('error', () => undefined)
  guard.stdin.on('error', () => undefined)
  guard.unref()
}
