import { isJsonObject, type Judgement, type PathAccess } from '@steward/contract'
import { resolvePath } from '../paths/resolve-path.ts'
import type { Policy } from '../policy/policy.ts'
import { rulesFor } from '../policy/rules-for.ts'

import { MARK, withoutMarks } from '../shell/marks.ts'
import { readPatchPaths } from '../tools/patch-paths.ts'
import { guessToolPath, SHELL_TOOLS, seemsShell, TOOL_PATHS } from '../tools/tool-paths.ts'
import { type CommandPlace, judgeCommand, judgeUnit } from './judge-command.ts'
import { judgePath } from './judge-path.ts'
import { gravest, PASS } from './verdicts.ts'

export interface ToolUse {
  tool: string
  input: unknown
}

/** Judges what an assistant is about to do with a tool. Never throws: an input it cannot read is no reason to stop a host. */
export const judgeTool = (
  { tool, input }: ToolUse,
  policy: Policy,
  place: CommandPlace,
): Judgement => {
  const text = typeof input === 'string' ? input : undefined
  const given = isJsonObject(input) ? input : {}
  if (tool === 'apply_patch') {
    const patch = text ?? textOf(given, ['command', 'patch', 'input', 'patchText']).join('\n')
    return gravest(
      readPatchPaths(patch).map(({ path, access }) => judgeNamedPath(path, access, policy, place)),
    )
  }
  if (Object.hasOwn(SHELL_TOOLS, tool)) {
    const directory = textOf(given, ['workdir', 'directory', 'dir_path', 'cwd'])[0]
    const cwd =
      directory === undefined
        ? place.cwd
        : resolvePath(withoutMarks(directory), place.cwd, policy.home)
    const commands = text === undefined ? commandsOf(given, SHELL_TOOLS[tool] ?? []) : [text]
    return gravest(commands.map((command) => judgeCommand(command, policy, { ...place, cwd })))
  }
  if (Object.hasOwn(TOOL_PATHS, tool)) {
    return gravest(
      (TOOL_PATHS[tool] ?? []).flatMap(({ fields, access, recursive, within }) => {
        const paths = text === undefined ? textOf(given, fields) : [text]
        if (within === undefined)
          return paths.map((path) => judgeNamedPath(path, access, policy, place, recursive))
        const [base] = textOf(given, [within, 'dir_path'])
        return paths
          .map((path) => (base === undefined || /^[/~]/.test(path) ? path : `${base}/${path}`))
          .filter((path) => /^(~|\/|\.\.)/.test(path) && !path.startsWith(`${place.cwd}/`))
          .map((path) => judgeNamedPath(path, access, policy, place))
      }),
    )
  }
  return gravest([
    ...judgeAddresses(given, policy, place),
    ...judgeUnknown(tool, given, policy, place),
  ])
}

const judgeAddresses = (
  given: Record<string, unknown>,
  policy: Policy,
  place: CommandPlace,
): Judgement[] =>
  textOf(given, ['url', 'uri']).map((address) =>
    address.startsWith('file:')
      ? judgeNamedPath(address, 'read', policy, place)
      : judgeUnit(
          { texts: [{ text: address, inert: [] }], part: address },
          rulesFor(policy, place.cwd),
        ),
  )

/** A tool that nobody told us about, of an MCP server for instance, is judged by its name and its fields. */
const judgeUnknown = (
  tool: string,
  given: Record<string, unknown>,
  policy: Policy,
  place: CommandPlace,
): Judgement[] => {
  const commands = seemsShell(tool) ? commandsOf(given, ['command', 'cmd', 'script']) : []
  const { fields, access } = guessToolPath(tool)
  return [
    ...commands.map((command) => judgeCommand(command, policy, place)),
    ...textOf(given, fields)
      .filter((path) => !/^\w+:\/\//.test(path))
      .map((path) => judgeNamedPath(path, access, policy, place)),
  ]
}

/** Judges one path by what is done to it. A pattern such as `**\/*.ts` may be given too. */
export const judgeNamedPath = (
  path: string,
  access: PathAccess,
  policy: Policy,
  { cwd }: Pick<CommandPlace, 'cwd'>,
  recursive = false,
): Judgement => {
  // A pattern that leaves something out names nothing.
  if (path === '' || path.startsWith('!')) return PASS
  const marked = withoutMarks(path).replaceAll('**', MARK.deep).replaceAll('*', MARK.star)
  const resolved = resolvePath(marked, cwd, policy.home)
  return judgePath(
    { kind: access, path: resolved, recursive, mention: false, gentle: false, part: path, unit: 0 },
    rulesFor(policy, cwd),
  )
}

const textOf = (given: Record<string, unknown>, fields: readonly string[]): string[] =>
  fields.flatMap((field) => {
    const value = given[field]
    if (typeof value === 'string') return [value]
    return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
  })

/** A command is a text, or a vector as `["bash", "-lc", "…"]`. */
const commandsOf = (given: Record<string, unknown>, fields: readonly string[]): string[] =>
  fields.flatMap((field) => {
    const value = given[field]
    if (typeof value === 'string') return [value]
    if (!Array.isArray(value)) return []
    return [value.map((word) => `'${String(word).replaceAll("'", "'\\''")}'`).join(' ')]
  })
