import { PHASES, StewardError } from '@steward/contract'
import { describe, expect, it } from 'vitest'
import { announceRequest } from './announce-request.ts'
import { announceWorkflow } from './announce-workflow.ts'
import { findCompletionLine } from './completion-line.ts'
import { EFFORT_NAMES, readEffort, readPhase, speaksPhase } from './effort.ts'
import { findSkip } from './find-skip.ts'
import { checkWorkflow, listRoutedWorkflows, type Skill } from './skill-workflows.ts'

describe('announceRequest', () => {
  it.each([
    ['fix the login page', undefined, 'Fixing the login page'],
    ['repair the roof', undefined, 'Fixing the roof'],
    ['Deploy the site', undefined, 'Deploying the site'],
    ['the login page', 'Could you fix the login?', 'Fixing the login page'],
    ['The retry limit', 'where is the retry limit?', 'Finding the retry limit'],
    ['Rewording the README', 'improve the README', 'Rewording the README'],
    ['looking into web push', 'research web push', 'Looking into web push'],
    ['Researching the bug', 'fix the bug', 'Fixing the bug'],
    ['why the build\nis  slow', 'why is the build slow?', 'Investigating why the build is slow'],
    ['string handling', 'fix the strings', 'Fixing string handling'],
    ['Ada’s notes', 'summarize the notes', 'Looking up Ada’s notes'],
  ])('%s for "%s" is %s', (what, request, text) => {
    expect(announceRequest(what, request).text).toBe(text)
  })

  it('does not announce conversation and says why', () => {
    expect(announceRequest('Hello again', 'hello')).toEqual({
      text: 'Hello again',
      kind: 'conversation',
      conversation: 'greeting',
    })
  })
})

const SKILL: Skill = {
  name: 'Research',
  workflowFiles: ['Extract.md', 'QuickLook.md', 'Draft.md', 'notes.txt'],
  text: [
    '# Research',
    'Draft things with `Draft`.',
    '## Workflow Routing',
    '| Workflow | Trigger | File |',
    '|---|---|---|',
    '| **Extract** | "extract it" | `Workflows/Extract.md` |',
    '- quick: [QuickLook](Workflows/QuickLook.md)',
    '### Notes',
    '- `Gone` was removed',
    '## Examples',
    'See `Workflows/Draft.md`.',
  ].join('\n'),
}

describe('workflows', () => {
  it('are announced and printed in the forms of the spec', () => {
    expect(announceWorkflow(SKILL, 'extract', 'summarise  three long papers')).toEqual({
      spoken: 'Running the Extract workflow in the Research skill to summarise three long papers',
      printed: 'Executing the Extract workflow within the Research skill...',
    })
    expect(announceWorkflow(SKILL, 'Workflows/QuickLook.md', 'a b c d e').spoken).toContain(
      'Running the QuickLook workflow',
    )
  })

  it('need an action of one to five words', () => {
    for (const action of ['', '  ', 'one two three four five six']) {
      expect(() => announceWorkflow(SKILL, 'Extract', action)).toThrow(/^action: /)
    }
  })

  it('are announced only when they are files that the routing lists', () => {
    expect(checkWorkflow(SKILL, 'Draft')).toMatchObject({ known: false, reason: 'not-routed' })
    expect(checkWorkflow(SKILL, 'Gone')).toMatchObject({ known: false, reason: 'no-file' })
    expect(checkWorkflow(SKILL, 'notes')).toMatchObject({ known: false, reason: 'no-file' })
    expect(checkWorkflow({ ...SKILL, workflowFiles: [] }, 'Extract')).toMatchObject({
      reason: 'no-workflows',
    })
    expect(checkWorkflow({ ...SKILL, text: '# Nothing routed' }, 'Extract')).toMatchObject({
      reason: 'not-routed',
    })
    expect(() => announceWorkflow(SKILL, 'Draft', 'write it')).toThrow(
      "it is not listed in the skill's workflow routing (listed: Extract, QuickLook)",
    )
  })

  it('reads routing as tables, lists and links', () => {
    expect(listRoutedWorkflows(SKILL.text)).toEqual(
      expect.arrayContaining(['Extract', 'QuickLook', 'Gone']),
    )
    expect(listRoutedWorkflows(SKILL.text)).not.toContain('Draft')
    expect(listRoutedWorkflows('')).toEqual([])
  })
})

describe('findSkip', () => {
  it.each([
    [{ request: 'thanks a lot' }, 'conversation'],
    [{ request: 'what does REST stand for?' }, 'conversation'],
    [{ request: 'git status' }, 'quick-utility'],
    [{ request: 'What time is it?' }, 'quick-utility'],
    [{ request: 'please show the current branch' }, 'quick-utility'],
    [{ skill: { ...SKILL, workflowFiles: [] }, workflow: 'X' }, 'skill-without-workflows'],
    [{ skill: SKILL, request: 'extract it' }, 'direct-skill-handling'],
    [{ skill: SKILL, workflow: 'Extract', inside: 'QuickLook' }, 'sub-workflow'],
    [{ skill: SKILL, workflow: 'Extract' }, undefined],
    [{ request: 'fix the login page' }, undefined],
    [{}, undefined],
  ])('%j: %s', (situation, expected) => {
    expect(findSkip(situation)).toBe(expected)
  })
})

describe('effort', () => {
  it('speaks two phases at standard effort and all at the others', () => {
    expect(PHASES.filter((phase) => speaksPhase('standard', phase))).toEqual(['OBSERVE', 'VERIFY'])
    for (const effort of EFFORT_NAMES.filter((name) => name !== 'standard')) {
      expect(PHASES.filter((phase) => speaksPhase(effort, phase))).toEqual([...PHASES])
    }
  })

  it('reads names in any case and reports invalid ones', () => {
    expect([readEffort('Deep'), readPhase('verify')]).toEqual(['deep', 'VERIFY'])
    expect(() => readEffort('Extendet')).toThrow('did you mean extended?')
    expect(() => readPhase('DONE')).toThrow(StewardError)
  })
})

describe('findCompletionLine', () => {
  const lineOf = (text: string, more: object = {}) => findCompletionLine({ text, ...more })

  it.each([
    ['All good.\n🗣️ The roof is fixed.', 'The roof is fixed.'],
    ['🗣 without the variation mark', 'without the variation mark'],
    ['🗣️ **Kai:** *Two* tests `added`', 'Two tests added'],
    ['🗣️ first line\ntext\n🗣️ last line', 'last line'],
    ['- 🗣️: see [the page](https://x.example/a)', 'see the page'],
    ['🗣️ said here\n```\n🗣️ shown there\n```', 'said here'],
    ['🗣️ Fixed: the build', 'Fixed: the build'],
    ['# Result\n\n- I fixed `a.ts` in v1.2 of it. Then more.', 'I fixed a.ts in v1.2 of it.'],
    ['```\ncode\n```\nNo end, e.g. none\nSecond.', 'No end, e.g. none'],
  ])('%s', (text, line) => {
    expect(lineOf(text, { speaker: 'Kai' })).toEqual({ line })
  })

  it('says why nothing is announced', () => {
    expect(lineOf('```\ncode\n```\n| a |')).toEqual({ skip: 'no-line' })
    expect(lineOf('🗣️ Done')).toEqual({ skip: 'too-short' })
    expect(lineOf('🗣️ Done!')).toEqual({ line: 'Done!' })
    expect(lineOf('🗣️ the whole line', { isSubagent: true })).toEqual({ skip: 'subagent' })
    expect(lineOf('🗣️ the whole line', { isRemote: true })).toEqual({ skip: 'remote-channel' })
  })
})

it('reads hostile messages in a bounded time', () => {
  // Quadratic time would be minutes, so it is enough that this returns.
  const text = `\u{1F5E3}\uFE0F ${'['.repeat(200_000)}`
  expect(findCompletionLine({ text })).toBeDefined()
  expect(findSkip({ request: `${'.'.repeat(200_000)}x` })).toBeUndefined()
})
