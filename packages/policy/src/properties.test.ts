import { VERDICTS, type Verdict } from '@steward/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { judgeCommand } from './judge/judge-command.ts'
import { judgeTool } from './judge/judge-tool.ts'
import { openPolicy } from './policy/open-policy.ts'
import { parsePolicy } from './policy/parse-policy.ts'
import { inspectPrompt } from './prompt/inspect-prompt.ts'

const opened = openPolicy({ text: undefined, home: '/home/u', dataHome: '/home/u/.steward' })
if (!opened.ok) throw opened.error
const policy = opened.value
const place = { cwd: '/home/u/proj' }
const say = (command: string): Verdict => judgeCommand(command, policy, place).verdict
const gravity = (verdict: Verdict): number => VERDICTS.indexOf(verdict)

const dangerous = fc.constantFrom(
  'rm -rf ~',
  'cat ~/.ssh/id_rsa',
  'echo x > /etc/passwd',
  'mv ~/.ssh /tmp/x',
  'find ~ -delete',
)
const harmless = fc.constantFrom('ls', 'git status', 'echo hi', 'true', 'npm test', 'cat README.md')
const shellText = fc.stringMatching(/^[-a-z0-9 ;|&<>(){}$"'`\\/~*?=#!\n.[\]]{0,60}$/)

describe('judging', () => {
  it('never throws on a command', () => {
    fc.assert(
      fc.property(fc.oneof(shellText, fc.string()), (text) => VERDICTS.includes(say(text))),
      {
        numRuns: 2000,
        // Names that every object has.
        examples: [['$valueOf'], ['ls ${constructor}'], ['rm -rf "$__proto__"']],
      },
    )
  })

  it('never throws on a tool call, a prompt or a policy file', () => {
    const tool = fc.oneof(
      fc.constantFrom('Bash', 'Read', 'apply_patch', 'Grep', 'shell'),
      fc.string(),
    )
    fc.assert(
      fc.property(tool, fc.jsonValue(), fc.string(), (name, input, text) => {
        expect(VERDICTS).toContain(judgeTool({ tool: name, input }, policy, place).verdict)
        expect(VERDICTS).toContain(inspectPrompt(text).verdict)
        expect(parsePolicy(text).ok).toBeTypeOf('boolean')
      }),
    )
  })

  it('is not weakened by adding a harmless part', () => {
    const joined = fc.constantFrom('; ', ' && ', ' || ', '\n', ' & ')
    fc.assert(
      fc.property(dangerous, harmless, joined, fc.boolean(), (bad, good, by, isFirst) => {
        const text = isFirst ? `${bad}${by}${good}` : `${good}${by}${bad}`
        expect(gravity(say(text))).toBeGreaterThanOrEqual(gravity(say(bad)))
      }),
    )
  })

  it('sees through wrappers and quotes', () => {
    const wrap = fc.constantFrom(
      (text: string) => `FOO=1 ${text}`,
      (text: string) => `env -i ${text}`,
      (text: string) => `bash -c '${text}'`,
      (text: string) => `sh -c "${text}"`,
      (text: string) => `(${text})`,
      (text: string) => `timeout 5 sh -c '${text}'`,
      (text: string) => `echo $(${text})`,
      (text: string) => text.replace(/^(\w)(\w+)/, '$1""$2'),
      (text: string) => text.replace(/^(\w)(\w+)/, "'$1'\\$2"),
      (text: string) => `eval '${text}'`,
    )
    fc.assert(
      fc.property(dangerous, wrap, (text, around) => {
        expect(say(around(text))).toBe('deny')
      }),
    )
  })
})
