import { ASSISTANTS, type DriveSpec, installAdapter } from '@steward/assistants'
import { HOSTS, type HostName, StewardError } from '@steward/contract'
import { resolveHome } from '@steward/platform'
import { Argument, Command } from 'commander'
import { askConsent } from '../../input/ask-consent.ts'
import type { Io } from '../../io.ts'

export const createSetupCommand = (io: Io): Command =>
  new Command('setup')
    .description('Install what an assistant needs to be started')
    .addArgument(new Argument('<assistant>', 'its name').choices(HOSTS))
    .option('--yes', 'install without asking')
    .action(async (assistant: HostName, { yes }: { yes?: true }) => {
      const spec = await ASSISTANTS[assistant].loadDrive?.()
      if (spec === undefined) {
        const reason = 'Steward cannot start it'
        throw new StewardError('invalid_input', { subject: `the assistant ${assistant}`, reason })
      }
      if (spec.program.kind === 'command') {
        io.out.write(`${spec.title} needs no adapter. Install it with: ${spec.install}\n`)
        return
      }
      if (!(await setUpAssistant(io, spec, yes === true))) io.exitCode = 1
    })

/** Installs the adapter of an assistant if the person agrees; false if not. */
export const setUpAssistant = async (
  io: Io,
  spec: DriveSpec,
  isAgreed: boolean,
): Promise<boolean> => {
  const { program, title } = spec
  if (program.kind !== 'adapter') return true
  const home = resolveHome(io.env, io.homedir)
  const what = `${program.package}@${program.version}`
  const question = `${title} is started through ${what}, several hundred megabytes from npm. Install it into ${home.root}/adapters?`
  if (!isAgreed && !(await askConsent(io, question))) return false
  io.err.write(`installing ${what} …\n`)
  let fetched = 0
  await installAdapter(spec, {
    home,
    env: io.env,
    signal: io.signal,
    onProgress: (line) => {
      if (!/http fetch/.test(line)) return
      fetched += 1
      if (io.err.isTerminal) io.err.write(`\r${fetched} packages fetched`)
    },
  })
  io.err.write(`${io.err.isTerminal ? '\r' : ''}installed ${what}\n`)
  return true
}
