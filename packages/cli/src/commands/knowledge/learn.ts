import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { StewardError, unwrap } from '@steward/contract'
import { type Learned, learnedSessions, learnFromWork } from '@steward/knowledge'
import {
  createEnvironment,
  createRedactor,
  type Home,
  readEnvFile,
  readWorkState,
  SPECIFICATION_FILES,
  secretsOf,
} from '@steward/platform'
import { Command } from 'commander'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { printJson } from '../../output/print-json.ts'
import { openKnowledge } from './open-knowledge.ts'

const WORDS: Readonly<Record<Learned['outcome'], string>> = {
  written: 'written',
  updated: 'updated',
  kept: 'left as you changed it',
  known: 'known already',
}

export const createKnowledgeLearnCommand = (io: Io): Command =>
  new Command('learn')
    .description('Add the learnings of finished work, each once')
    .option('--session <slug>', 'only this session, in any phase')
    .option('--json', 'print JSON')
    .action(async ({ session, json }: { session?: string; json?: true }) => {
      const { home, loaded } = await openKnowledge(io)
      const envFile = unwrap(await readEnvFile(home.envFile))
      const redactor = createRedactor(secretsOf(createEnvironment(io.env, envFile)))
      const ports = { home, loaded, redactor, now: () => new Date(io.now()) }
      const learned: Learned[] = []
      for (const specification of await specificationsOf(home, session)) {
        learned.push(...(await learnFromWork(ports, specification)))
      }
      if (json) printJson(io.out, { learned })
      else if (learned.length === 0)
        io.out.write('nothing was learned: no "## Learnings" section\n')
      for (const { file, title, outcome } of json ? [] : learned) {
        io.out.write(`${file}: ${WORDS[outcome]} (${cleanText(title)})\n`)
      }
    })

const specificationsOf = async (home: Home, session: string | undefined): Promise<string[]> => {
  if (session !== undefined) {
    if (!/^[^./\\][^/\\]*$/.test(session)) {
      throw new StewardError('invalid_input', { subject: '--session', reason: 'it is not a slug' })
    }
    const there = SPECIFICATION_FILES.filter((name) => existsSync(join(home.work, session, name)))
    // Without any specification, the reader reports what it searched for.
    const names = there.length === 0 ? SPECIFICATION_FILES.slice(0, 1) : there
    return names.map((name) => `WORK/${session}/${name}`)
  }
  const state = await readWorkState(home)
  if (!state.ok && state.error.code !== 'work_state_missing') throw state.error
  return state.ok ? learnedSessions(state.value).map(({ specification }) => specification) : []
}
