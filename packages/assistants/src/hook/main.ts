import { spawnSync } from 'node:child_process'
import { enableCompileCache } from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { answerUnstarted } from './start/answer-unstarted.ts'
import { findBundledNode, isRecentNode } from './start/bundled-node.ts'
import { writeAnswer } from './write-answer.ts'

const runHere = async (): Promise<number> => {
  // Where the person keeps their data was known when the hook was installed; the environment may differ.
  const given = process.argv.indexOf('--home')
  if (given !== -1) process.env.STEWARD_HOME ??= process.argv[given + 1]
  const home = process.env.STEWARD_HOME || join(homedir(), '.steward')
  // The program itself is in a file of its own, so that Node can keep it compiled between calls. An old Node cannot.
  enableCompileCache?.(join(home, 'state', 'hook-cache'))
  const { runHook } = await import('./run-hook.ts')
  return runHook(process)
}

/** A host's PATH may lead to an old Node. Without another the hook does there what it can. */
const start = async (): Promise<number> => {
  if (isRecentNode(process.versions.node)) return runHere()
  const node = findBundledNode(fileURLToPath(new URL('.', import.meta.url)), process)
  if (node === undefined) return runHere()
  const { status } = spawnSync(node, process.argv.slice(1), { stdio: 'inherit' })
  return status ?? runHere()
}

try {
  process.exitCode = await start()
} catch (thrown) {
  // A host may count any other end as a refusal of every call to come.
  const stderr = `steward-hook: could not start on Node ${process.versions.node}: ${thrown}\n`
  writeAnswer({ exitCode: 0, stdout: answerUnstarted(process.argv.slice(2)), stderr })
}
