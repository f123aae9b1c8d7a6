import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Verdict } from '@steward/contract'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { judgeCommand } from './judge/judge-command.ts'
import { judgeTool } from './judge/judge-tool.ts'
import { openDefaultPolicy } from './policy/open-default-policy.ts'
import { openPolicy } from './policy/open-policy.ts'
import { inspectPrompt } from './prompt/inspect-prompt.ts'

const verdicts = z.enum(['deny', 'ask', 'alert', 'pass'])
const texts = z.partialRecord(verdicts, z.array(z.string()))
const categories = z.partialRecord(z.enum(['deletion', 'exfiltration', 'other', 'harmless']), texts)
const file = z
  .object({
    commands: categories,
    strict: categories,
    prompts: texts,
    tools: z.partialRecord(verdicts, z.array(z.object({ tool: z.string(), input: z.unknown() }))),
  })
  .parse(parse(readFileSync(join(import.meta.dirname, 'testing', 'guard-cases.yaml'), 'utf8')))

interface Case {
  id: string
  category: string
  wanted: Verdict
  said: Verdict
}

const place = { cwd: '/home/u/proj' }
const homes = { home: '/home/u', dataHome: '/home/u/.steward' }
const byDefault = openDefaultPolicy(homes)
const opened = openPolicy({
  text: "paths: { zeroAccess: ['**/.env', ~/.ssh], noDelete: [~/keep] }",
  ...homes,
})
if (!opened.ok) throw opened.error
const strict = opened.value

const entries = <Value>(record: Partial<Record<Verdict, Value[]>>): [Verdict, Value][] =>
  verdicts.options.flatMap((wanted) =>
    (record[wanted] ?? []).map((value): [Verdict, Value] => [wanted, value]),
  )

const judgeAll = (group: z.infer<typeof categories>, policy: typeof strict): Case[] =>
  Object.entries(group).flatMap(([category, record]) =>
    entries(record).map(([wanted, id]) => ({
      id,
      category,
      wanted,
      said: judgeCommand(id, policy, place).verdict,
    })),
  )

const cases: Case[] = [
  ...judgeAll(file.commands, byDefault),
  ...judgeAll(file.strict, strict),
  ...entries(file.prompts).map(([wanted, id]) => ({
    id,
    category: 'prompt',
    wanted,
    said: inspectPrompt(id).verdict,
  })),
  ...entries(file.tools).map(([wanted, use]) => ({
    id: JSON.stringify(use),
    category: 'tool',
    wanted,
    said: judgeTool({ tool: use.tool, input: use.input }, byDefault, place).verdict,
  })),
]

/** Fixed before any rule was tuned: a third of the cases, whatever they are about. */
const isHeldBack = ({ id }: Case): boolean =>
  createHash('sha256').update(id).digest().readUInt32BE(0) % 3 === 0
const heldBack = cases.filter(isHeldBack)
const tuned = cases.filter((each) => !isHeldBack(each))
const isWrong = ({ wanted, said }: Case): boolean => said !== wanted

describe('the cases of the guards', () => {
  it('are many, a third of them held back and a third of them harmless', () => {
    expect(cases.length).toBeGreaterThanOrEqual(900)
    expect(heldBack.length).toBeGreaterThanOrEqual(cases.length * 0.3)
    const harmless = cases.filter(({ wanted }) => wanted === 'pass')
    expect(harmless.length).toBeGreaterThanOrEqual(cases.length / 3)
  })

  it('are judged as wanted', () => {
    expect(tuned.filter(isWrong)).toEqual([])
  })

  it('that were held back are judged as wanted in at least 95 of 100', () => {
    const wrong = heldBack.filter(isWrong).length
    expect(1 - wrong / heldBack.length).toBeGreaterThanOrEqual(0.95)
  })

  it('let no deletion and no exfiltration pass', () => {
    const passed = cases.filter(
      ({ category, wanted, said }) =>
        /deletion|exfiltration/.test(category) &&
        (said === 'pass' || (said === 'alert' && wanted !== 'alert')),
    )
    expect(passed).toEqual([])
  })
})
