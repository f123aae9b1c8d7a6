import type { Argument, Command, Option } from 'commander'
import { COMMANDS } from '../../packages/cli/src/commands/index.ts'
import { memoryIo } from '../../packages/cli/src/testing/memory-io.ts'
import { renderTable } from './render-table.ts'

const argumentRow = (argument: Argument): string[] => [
  `\`${argument.required ? `<${argument.name()}>` : `[${argument.name()}]`}\``,
  withChoices(argument.description, argument.argChoices),
]

const optionRow = (option: Option): string[] => [
  `\`${option.flags}\``,
  withChoices(option.description, option.argChoices) + presetOf(option.defaultValue),
]

const withChoices = (text: string, choices: readonly string[] | undefined): string =>
  choices === undefined ? text : `${text}: ${choices.map((each) => `\`${each}\``).join(', ')}`

const presetOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? ` (default: \`${value}\`)` : ''

const renderCommand = (command: Command, path: string, depth: number): string => {
  const rows = [
    ...command.registeredArguments.map(argumentRow),
    ...command.options.filter(({ hidden }) => !hidden).map(optionRow),
  ]
  const table = rows.length === 0 ? '' : `\n${renderTable(['', ''], rows)}`
  const text = command.description().replace(/\.?$/, '.')
  const own = `${'#'.repeat(depth)} ${path}\n\n${text}\n${table}`
  const parts = command.commands
    .filter((each) => each.name() !== 'help' && each.description() !== '')
    .map((each) => renderCommand(each, `${path} ${each.name()}`, Math.min(depth + 1, 4)))
  return [own, ...parts].join('\n')
}

/** `docs/reference/commands.md`: every command with its arguments and options. */
export const renderCommandsPage = async (): Promise<string> => {
  const parts: string[] = []
  for (const [name, entry] of Object.entries(COMMANDS)) {
    if (entry.hidden === true) continue
    const command = (await entry.load())(memoryIo())
    if (command.description() === '') command.description(entry.summary)
    parts.push(renderCommand(command, `steward ${name}`, 2))
  }
  return `# Commands

Generated from \`packages/cli\` by \`npm run generate\`. Do not edit.

\`steward COMMAND --help\` prints the same with examples. [Commands and exit codes](../cli.md) explains how they work together.

${parts.join('\n')}`
}
