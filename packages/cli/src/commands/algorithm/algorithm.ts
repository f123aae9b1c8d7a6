import { resolve } from 'node:path'
import { unwrap } from '@steward/contract'
import { changeSettings, readSettings, resolveHome } from '@steward/platform'
import { Command } from 'commander'
import type { Io } from '../../io.ts'
import { printJson } from '../../output/print-json.ts'

const HELP = `
When a session begins, assistants are asked to keep a specification for longer work, to announce
phases, and to end with a spoken line. This costs about 400 tokens a session.
steward hooks install lets Claude Code write specifications without asking you while it is on; run it
again after a switch to add or remove that rule.

Examples:
  steward algorithm                   show where it is on
  steward algorithm off --project .   off in this folder and below
  steward algorithm on                on everywhere else
`

interface Flags {
  project?: string
  json?: true
}

export const createAlgorithmCommand = (io: Io): Command =>
  new Command('algorithm')
    .description('Switch the reporting of phases on or off')
    .addCommand(createStatusCommand(io), { isDefault: true })
    .addCommand(createSwitchCommand(io, 'on'))
    .addCommand(createSwitchCommand(io, 'off'))
    .addHelpText('after', HELP)

const createStatusCommand = (io: Io): Command =>
  new Command('status')
    .description('Show where the reporting of phases is on')
    .option('--json', 'print JSON')
    .action(async ({ json }: Flags) => {
      const settings = unwrap(await readSettings(resolveHome(io.env, io.homedir)))
      const { enabled, projects } = settings.algorithm
      if (json) return printJson(io.out, { enabled, projects })
      const lines = Object.entries(projects).map(
        ([folder, isOn]) => `${isOn ? 'on ' : 'off'}  ${folder}`,
      )
      io.out.write([`${enabled ? 'on ' : 'off'}  everywhere else`, ...lines, ''].join('\n'))
    })

const createSwitchCommand = (io: Io, word: 'on' | 'off'): Command =>
  new Command(word)
    .description(
      word === 'on' ? 'Ask assistants to report phases' : 'Stop asking assistants to report phases',
    )
    .option('--project <folder>', 'only in this folder and below')
    .action(async ({ project }: Flags) => {
      const home = resolveHome(io.env, io.homedir)
      const isOn = word === 'on'
      if (project === undefined) await changeSettings(home, ['algorithm'], { enabled: isOn })
      else {
        const folder = resolve(io.cwd, project)
        await changeSettings(home, ['algorithm', 'projects'], { [folder]: isOn })
      }
      io.out.write(`${word} for sessions that begin from now on\n`)
    })
