import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DEFAULT_ROUTING, openRouting } from '@steward/agents'
import { checkWorkflow, listRoutedWorkflows } from '@steward/notify'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { AGENT_TEXTS } from './agent-texts.ts'
import { renderAgents } from './render-agents.ts'

const PLUGIN = join(import.meta.dirname, '../../plugin')
const read = (path: string): string => readFileSync(join(PLUGIN, path), 'utf8')

const splitFile = (text: string): { head: unknown; body: string } => {
  const [, head = '', body = ''] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(text) ?? []
  return { head: parse(head), body }
}

/** Tools of Claude Code that a file may name. */
const TOOLS = ['Read', 'Grep', 'Glob', 'Write', 'Edit', 'Bash', 'WebSearch', 'WebFetch']
const WRITE_TOOLS = ['Write', 'Edit', 'MultiEdit', 'NotebookEdit', 'Bash', 'Agent', 'Task']

const agentHead = z.strictObject({
  name: z.string().regex(/^[A-Za-z][A-Za-z0-9-]*$/),
  description: z.string().min(40).max(400),
  tools: z.string().optional(),
  model: z.enum(['haiku', 'sonnet', 'opus']),
  color: z.string(),
})
const skillHead = z.strictObject({ name: z.string(), description: z.string().min(60).max(1000) })

const toolsOf = (name: string): string[] =>
  (agentHead.parse(splitFile(read(`agents/${name}.md`)).head).tools ?? '')
    .split(', ')
    .filter(Boolean)

describe('agent files', () => {
  it('match the table of types and the texts (node scripts/build-plugin.ts writes them)', () => {
    const rendered = renderAgents(DEFAULT_ROUTING.types)
    const files = readdirSync(join(PLUGIN, 'agents')).map((file) => `agents/${file}`)
    expect(files.toSorted()).toEqual(Object.keys(rendered).toSorted())
    for (const [path, text] of Object.entries(rendered)) expect(read(path), path).toBe(text)
  })

  it('exist for every built-in type except deprecated ones, each with its own text', () => {
    const current = DEFAULT_ROUTING.types.filter(({ deprecated }) => !deprecated)
    expect(current).toHaveLength(14)
    expect(current.map(({ role, name }) => role ?? name).toSorted()).toEqual(
      Object.keys(AGENT_TEXTS).toSorted(),
    )
    const bodies = current.map(({ name }) => splitFile(read(`agents/${name}.md`)).body)
    expect(new Set(bodies).size).toBe(14)
  })

  it.each(readdirSync(join(PLUGIN, 'agents')))('%s has a header that the host accepts', (file) => {
    const { head, body } = splitFile(read(`agents/${file}`))
    expect(`${agentHead.parse(head).name}.md`).toBe(file)
    expect(toolsOf(file.slice(0, -3)).filter((tool) => !TOOLS.includes(tool))).toEqual([])
    expect(body.length).toBeGreaterThan(400)
  })

  it('give read-only types no tool that writes, except researchers that call another vendor', () => {
    const writes = (name: string) => toolsOf(name).some((tool) => WRITE_TOOLS.includes(tool))
    expect(toolsOf('Cato')).toEqual(['Read', 'Grep', 'Glob'])
    const readOnly = DEFAULT_ROUTING.types.filter(
      (type) => type.readOnly && !type.role?.startsWith('researcher'),
    )
    expect(readOnly.length).toBeGreaterThan(3)
    expect(readOnly.filter(({ name }) => writes(name))).toEqual([])
    expect(writes('VendorAResearcher')).toBe(false)
  })

  it('use the names that a person gives by role', () => {
    const routing = openRouting('names: { security-tester: Rook, researcher-a: Ada }\n')
    const files = routing.ok ? Object.keys(renderAgents(routing.value.types)) : []
    expect(files).toContain('agents/Rook.md')
    expect(files).toContain('agents/Ada.md')
    expect(files).not.toContain('agents/SecurityTester.md')
  })
})

describe.each(readdirSync(join(PLUGIN, 'skills')))('the %s skill', (skill) => {
  const text = read(`skills/${skill}/SKILL.md`)
  const workflowFiles = readdirSync(join(PLUGIN, 'skills', skill, 'Workflows'))

  it('has a header that the host accepts', () => {
    expect(skillHead.parse(splitFile(text).head).name).toBe(skill)
  })

  it('routes to exactly its workflows', () => {
    const names = workflowFiles.map((file) => file.replace(/\.md$/, ''))
    for (const name of names) {
      expect(checkWorkflow({ name: skill, workflowFiles, text }, name)).toEqual({
        known: true,
        name,
      })
    }
    const paths = [...text.matchAll(/Workflows\/(\w+)\.md/g)].map(([, name]) => name)
    expect([...new Set(paths)].toSorted()).toEqual(names.toSorted())
    expect(listRoutedWorkflows(text)).toEqual(expect.arrayContaining(names))
  })

  it.each(workflowFiles)(
    '%s is announced by its own name, with an action under six words',
    (file) => {
      const workflow = read(`skills/${skill}/Workflows/${file}`)
      const name = file.replace(/\.md$/, '')
      const [, announced, action = ''] =
        /steward announce --workflow (\w+) --skill SKILL\s+--action "([^"]+)"/.exec(workflow) ?? []
      expect(announced).toBe(name)
      expect(action.split(' ').length).toBeLessThan(6)
      expect(workflow.match(/^\d+\. \*\*/gm)?.length ?? 0).toBeGreaterThanOrEqual(4)
    },
  )

  it('names workflows of other skills and agent types that exist', () => {
    const all = [text, ...workflowFiles.map((file) => read(`skills/${skill}/Workflows/${file}`))]
    const types = all.flatMap((each) =>
      [...each.matchAll(/`steward:(\w+)`/g)].map(([, type]) => type),
    )
    for (const type of types) expect(existsSync(join(PLUGIN, `agents/${type}.md`)), type).toBe(true)
  })
})

it('brings its own command for the shell', () => {
  expect(statSync(join(PLUGIN, 'bin/steward')).mode & 0o111).toBe(0o111)
})

it('names only commands that there are', async () => {
  const { COMMANDS } = await import('../../packages/cli/src/commands/index.ts')
  const files = readdirSync(join(PLUGIN, 'skills'), { recursive: true, encoding: 'utf8' })
  const text = files
    .filter((file) => file.endsWith('.md'))
    .map((file) => read(`skills/${file}`))
    .join('\n')
  const named = [...text.matchAll(/(?:`|^\s*)steward ([a-z]+)/gm)].map(([, name = '']) => name)
  expect(named.length).toBeGreaterThan(20)
  expect([...new Set(named)].filter((name) => !Object.hasOwn(COMMANDS, name))).toEqual([])
})
