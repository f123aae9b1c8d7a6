import { StewardError } from '@steward/contract'
import { AUTH_SECRET, deployedWorkers, generateToken, setSecret } from '@steward/edge'
import { readEnvFile } from '@steward/platform'
import { Command } from 'commander'
import { openPlatform, type Platform } from '../deploy/open-platform.ts'
import { showSetting } from '../deploy/show-setting.ts'
import { storeVariable } from '../deploy/store-variable.ts'
import type { Io } from '../io.ts'
import { printJson } from '../output/print-json.ts'

interface GenerateFlags {
  rotate?: true
  json?: true
}

const HELP = `
The token is kept in .env of the data home (mode 0600) so that \`steward run\` can call the workers;
one that is there already is used again, unless --rotate asks for a new one. Cut off, it is safe to
run again.
`

export const createSecretsGenerateCommand = (io: Io): Command =>
  new Command('generate')
    .description('Sets one AUTH_TOKEN, 32 random bytes, on every deployed worker.')
    .option('--rotate', 'make a new token even when there is one')
    .option('--json', 'print JSON (never the token)')
    .addHelpText('after', HELP)
    .action(async ({ rotate, json }: GenerateFlags) => {
      const platform = await openPlatform(io)
      const workers = await deployedWorkers(platform.api)
      if (workers.length === 0) {
        const reason = 'no worker is deployed yet; `steward deploy --all` comes first'
        throw new StewardError('not_configured', { subject: AUTH_SECRET, reason })
      }
      const value = await prepareToken(platform, rotate === true)
      await showSetting(io, (onProgress) =>
        setSecret({ ...platform, onProgress }, { name: AUTH_SECRET, value }, workers),
      )
      if (io.env.AUTH_TOKEN !== undefined && io.env.AUTH_TOKEN !== value) {
        io.err.write('note: AUTH_TOKEN in your environment differs and wins over .env: unset it\n')
      }
      if (json) return printJson(io.out, { success: true, secret: AUTH_SECRET, workers })
      const { envFile } = platform.home
      io.out.write(`AUTH_TOKEN is set on ${workers.length} workers and kept in ${envFile}\n`)
    })

/** Kept before it is set anywhere: a token that only the workers knew could not be used. */
const prepareToken = async ({ home }: Platform, rotate: boolean): Promise<string> => {
  const variables = await readEnvFile(home.envFile)
  if (!variables.ok) throw variables.error
  const known = variables.value[AUTH_SECRET]
  if (known && !rotate) return known
  const token = generateToken()
  await storeVariable(home, AUTH_SECRET, token)
  return token
}
