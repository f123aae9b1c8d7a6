import { spawnSync } from 'node:child_process'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { answerUnstarted } from './start/answer-unstarted.ts'
import { findBundledNode, isRecentNode } from './start/bundled-node.ts'
import { loadProgram } from './start/load-program.ts'
import { writeAnswer } from './write-answer.ts'

const folder = fileURLToPath(new URL('.', import.meta.url))
/** Beside this file, built from run-hook.ts by scripts/build-hook.ts: without the guards, and with them. */
const PROGRAM = 'steward-hook-program.js'
const GUARD_PROGRAM = 'steward-hook-guard.js'

/** Written immediately, so that nothing waits to be written when the process ends. */
const complain = (stderr: string): void => {
  try {
    writeAnswer({ exitCode: 0, stdout: '', stderr })
  } catch {
    // The assistant has closed standard error; the hook's own log has the text too.
  }
}

const runHere = async (): Promise<number> => {
  // Assistants show the output of hooks, such as Node 22's warning that SQLite is experimental.
  process.removeAllListeners('warning')
  // The data home was known at installation; the environment may differ now.
  const given = process.argv.indexOf('--home')
  if (given !== -1) process.env.STEWARD_HOME ??= process.argv[given + 1]
  const home = process.env.STEWARD_HOME || join(homedir(), '.steward')
  const { runHook, keepCompiled } = loadProgram({
    file: join(folder, process.argv.includes('--guard') ? GUARD_PROGRAM : PROGRAM),
    cache: join(home, 'state', 'hook-cache'),
    kind: process.argv
      .slice(2)
      .filter((word) => !word.includes('/'))
      .join(' '),
    importLate: () => import('../guard/lazy-guards.ts'),
  })
  const exitCode = await runHook({
    argv: process.argv,
    env: process.env,
    stderr: { write: complain },
  })
  keepCompiled()
  return exitCode
}

/** A host's PATH may lead to an old Node. Without a newer one the hook does what it can. */
const start = async (): Promise<number> => {
  if (isRecentNode(process.versions.node)) return runHere()
  const node = findBundledNode(folder, process)
  if (node === undefined) return runHere()
  const { status } = spawnSync(node, process.argv.slice(1), { stdio: 'inherit' })
  return status ?? runHere()
}

try {
  // All work is done: taking the process apart in order would take a tenth of its time.
  process.exit(await start())
} catch (thrown) {
  // A host may treat any other exit as a refusal of every later call.
  const stderr = `steward-hook: could not start on Node ${process.versions.node}: ${thrown}\n`
  writeAnswer({ exitCode: 0, stdout: answerUnstarted(process.argv.slice(2)), stderr })
}
