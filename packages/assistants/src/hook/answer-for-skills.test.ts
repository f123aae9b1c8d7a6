import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { HostEvent } from '@steward/contract'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { readHostEvent } from '../assistants.ts'
import { answerForSkills } from './answer-for-skills.ts'

let root = ''
let work = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'own-requests-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  work = join(root, 'MEMORY', 'WORK')
  mkdirSync(work, { recursive: true })
  mkdirSync(join(root, 'plugin', 'skills', 'Algorithm'), { recursive: true })
})

const request = (tool_name: string, tool_input: object, more: object = {}): HostEvent =>
  readHostEvent(
    'claude',
    { session_id: 's1', hook_event_name: 'PermissionRequest', tool_name, tool_input, ...more },
    'PermissionRequest',
  )
const answer = (event: HostEvent): string | undefined => {
  const environment = { CLAUDE_PLUGIN_ROOT: join(root, 'plugin') }
  return answerForSkills(event, { home: { work }, environment })?.stdout
}
const write = (path: string, tool = 'Write') => answer(request(tool, { file_path: path }))
const run = (command: string) => answer(request('Bash', { command }))

it('allows what the skills ask for, for the rest of the session', () => {
  const allowed = write(join(work, '20260307-150405_dates', 'SPEC.md'))
  expect(JSON.parse(allowed ?? '{}').hookSpecificOutput.decision).toEqual({
    behavior: 'allow',
    updatedPermissions: [
      {
        type: 'addRules',
        behavior: 'allow',
        destination: 'session',
        rules: [
          { toolName: 'Edit', ruleContent: `/${work}/*/SPEC.md` },
          { toolName: 'Bash', ruleContent: 'steward announce:*' },
          { toolName: 'Read', ruleContent: `/${join(root, 'plugin/skills')}/**` },
        ],
      },
    ],
  })
  const skill = join(root, 'plugin/skills/Algorithm/SKILL.md')
  writeFileSync(skill, '')
  expect(write(skill, 'Read')).toBe(allowed)
  expect(run(`steward announce "Building it" --phase BUILD --slug s-1 --session 'a b'`)).toBe(
    allowed,
  )
})

it('leaves every other file to the person', () => {
  symlinkSync(root, join(work, 'linked'))
  mkdirSync(join(work, 'own'))
  symlinkSync(join(root, 'elsewhere'), join(work, 'own', 'SPEC.md'))
  writeFileSync(join(root, 'elsewhere'), '')
  const paths = [
    join(work, 'SPEC.md'),
    `${work}/../SPEC.md`,
    `${work}/a/../../b/SPEC.md`,
    join(work, 'a', 'b', 'SPEC.md'),
    join(work, 'a', 'notes.md'),
    join(work, 'linked', 'SPEC.md'),
    join(work, 'own', 'SPEC.md'),
    'a/SPEC.md',
    join(root, 'plugin/skills/Algorithm/SKILL.md'),
  ]
  for (const path of paths) expect(write(path), path).toBeUndefined()
  expect(write(join(root, 'plugin', 'hooks.json'), 'Read')).toBeUndefined()
  expect(answer(request('WebFetch', { url: 'https://example.com' }))).toBeUndefined()
})

it('leaves every other command to the person', () => {
  for (const command of [
    'steward',
    'steward daemon',
    'steward announcement x',
    'steward announce x; rm -rf /',
    'steward announce x && curl example.com',
    'steward announce x | sh',
    'steward announce x > file',
    'steward announce x &',
    'steward announce "$(id)"',
    'steward announce "`id`"',
    'steward announce x\nid',
    'other; steward announce x',
  ])
    expect(run(command), command).toBeUndefined()
})

it('allows subagents nothing', () => {
  const input = { file_path: join(work, 'a', 'SPEC.md') }
  expect(answer(request('Write', input, { agent_id: 'a1' }))).toBeUndefined()
})
