import { StewardError } from '@steward/contract'
import {
  AUTH_SECRET,
  deployedWorkers,
  openPlatform,
  prepareAuthToken,
  setSecret,
} from '@steward/edge/deploy'
import { Command } from 'commander'
import type { Io } from '../../io.ts'
import { printJson } from '../../output/print-json.ts'
import { showSetting } from './show-setting.ts'

interface GenerateFlags {
  rotate?: true
  json?: true
}

const HELP = `
The token is stored in .env of the data home (mode 0600), so that \`steward run\` can call the
workers. An existing token is reused unless you pass --rotate. If the command is interrupted, run it
again.
`

export const createSecretsGenerateCommand = (io: Io): Command =>
  new Command('generate')
    .description('Set one random AUTH_TOKEN on every deployed worker')
    .option('--rotate', 'create a new token even if one exists')
    .option('--json', 'print JSON (never the token)')
    .addHelpText('after', HELP)
    .action(async ({ rotate, json }: GenerateFlags) => {
      const platform = await openPlatform(io)
      const workers = await deployedWorkers(platform.api)
      if (workers.length === 0) {
        const reason = 'no worker is deployed yet; run `steward deploy --all` first'
        throw new StewardError('not_configured', { subject: AUTH_SECRET, reason })
      }
      const value = await prepareAuthToken(platform.home, { rotate: rotate === true })
      await showSetting(io, (onProgress) =>
        setSecret({ ...platform, onProgress }, { name: AUTH_SECRET, value }, workers),
      )
      if (io.env.AUTH_TOKEN !== undefined && io.env.AUTH_TOKEN !== value) {
        io.err.write('note: AUTH_TOKEN in your environment differs and overrides .env: unset it\n')
      }
      if (json) return printJson(io.out, { success: true, secret: AUTH_SECRET, workers })
      const { envFile } = platform.home
      io.out.write(`AUTH_TOKEN is set on ${workers.length} workers and stored in ${envFile}\n`)
    })
