import { chmod, stat } from 'node:fs/promises'
import { type Finding, fine } from '@steward/assistants'
import { ensureHome, type Home, readEnvFile, readSettings } from '@steward/platform'

export const checkHome = async (home: Home): Promise<Finding> => {
  const ready = await ensureHome(home)
  if (ready.ok) return fine('data home', `${home.root} exists and is writable`)
  return {
    check: 'data home',
    status: 'fail',
    message: ready.error.message,
    repair: 'make the folder yours and writable, or set STEWARD_HOME to another folder',
  }
}

export const checkSettings = async (home: Home): Promise<Finding> => {
  const settings = await readSettings(home)
  if (settings.ok) return fine('settings', `${home.settings} is valid or missing (defaults apply)`)
  const { message } = settings.error
  return { check: 'settings', status: 'fail', message, repair: `correct ${home.settings}` }
}

const OTHERS = 0o077
const PRIVATE = 0o600

/** The env file contains keys, so only its owner may read it. */
export const checkEnvFile = async (home: Home): Promise<Finding> => {
  const variables = await readEnvFile(home.envFile)
  if (!variables.ok) {
    const { message } = variables.error
    return { check: 'env file', status: 'fail', message, repair: `correct ${home.envFile}` }
  }
  const found = await stat(home.envFile).catch(() => undefined)
  if (found === undefined) return fine('env file', `none (${home.envFile} would hold keys)`)
  if ((found.mode & OTHERS) === 0) {
    return fine('env file', `${Object.keys(variables.value).length} names, private`)
  }
  return {
    check: 'env file',
    status: 'warn',
    message: `other users of this machine can read ${home.envFile}, which holds keys`,
    repair: `chmod 600 ${home.envFile}`,
    change: `${home.envFile} will be readable and writable only by you; its content stays.`,
    fix: async () => {
      await chmod(home.envFile, PRIVATE)
      return 'made it private'
    },
  }
}
