import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { judgeCommand } from './judge/judge-command.ts'
import { judgeTool } from './judge/judge-tool.ts'
import { openDefaultPolicy } from './policy/open-default-policy.ts'
import { inspectPrompt } from './prompt/inspect-prompt.ts'

const read = <Shape extends z.ZodType>(name: string, shape: Shape): z.infer<Shape> =>
  shape.parse(parse(readFileSync(join(import.meta.dirname, 'testing', name), 'utf8')))

const list = z.array(z.string())
const commands = read(
  'commands.yaml',
  z.object({
    dangerous: z.object({ deny: list, ask: list }),
    harmless: z.object({ pass: list, alert: list }),
  }),
)
const tools = read(
  'tools.yaml',
  z.record(
    z.enum(['deny', 'ask', 'pass']),
    z.array(z.object({ tool: z.string(), input: z.unknown() })),
  ),
)
const prompts = read('prompts.yaml', z.record(z.enum(['deny', 'alert', 'pass']), list))

const policy = openDefaultPolicy({ home: '/home/u', dataHome: '/home/u/.steward' })
const place = { cwd: '/home/u/proj' }

describe('the corpus of commands', () => {
  it('is large and has no duplicates', () => {
    const dangerous = [...commands.dangerous.deny, ...commands.dangerous.ask]
    const harmless = [...commands.harmless.pass, ...commands.harmless.alert]
    expect(new Set(dangerous).size).toBe(dangerous.length)
    expect(new Set(harmless).size).toBe(harmless.length)
    expect(dangerous.length).toBeGreaterThanOrEqual(1000)
    expect(harmless.length).toBeGreaterThanOrEqual(900)
  })

  for (const [wanted, texts] of [
    ...Object.entries(commands.dangerous),
    ...Object.entries(commands.harmless),
  ]) {
    it(`returns ${wanted} for every case of that kind`, () => {
      const wrong = texts.flatMap((command) => {
        const { verdict, rule, reason } = judgeCommand(command, policy, place)
        return verdict === wanted ? [] : [{ command, verdict, why: `${rule} ${reason}` }]
      })
      expect(wrong).toEqual([])
    })
  }
})

describe('the corpus of other tools', () => {
  for (const [wanted, uses] of Object.entries(tools)) {
    it(`returns ${wanted} for every case of that kind`, () => {
      const wrong = uses.flatMap((use) => {
        const { verdict, rule } = judgeTool({ tool: use.tool, input: use.input }, policy, place)
        return verdict === wanted ? [] : [{ ...use, verdict, rule }]
      })
      expect(wrong).toEqual([])
    })
  }
})

describe('the corpus of prompts', () => {
  for (const [wanted, texts] of Object.entries(prompts)) {
    it(`returns ${wanted} for every case of that kind`, () => {
      const wrong = texts.flatMap((text) => {
        const { verdict, reason } = inspectPrompt(text)
        return verdict === wanted ? [] : [{ text, verdict, reason }]
      })
      expect(wrong).toEqual([])
    })
  }
})
