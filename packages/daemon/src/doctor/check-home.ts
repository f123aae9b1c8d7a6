import { chmod, stat } from 'node:fs/promises'
import { type Finding, fine } from '@steward/assistants'
import { ensureHome, type Home, readEnvFile, readSettings } from '@steward/platform'

const OTHERS = 0o077
const PRIVATE = 0o600
const PRIVATE_FOLDER = 0o700

/** Other accounts get nothing over HTTP; an open folder would show them the same records. */
export const checkHome = async (home: Home): Promise<Finding> => {
  const ready = await ensureHome(home)
  if (!ready.ok) {
    return {
      check: 'data home',
      status: 'fail',
      message: ready.error.message,
      repair: 'make the folder yours and writable, or set STEWARD_HOME to another folder',
    }
  }
  const { mode } = await stat(home.root)
  if ((mode & OTHERS) === 0) {
    return fine('data home', `${home.root} exists, is writable and private`)
  }
  return {
    check: 'data home',
    status: 'warn',
    message: `other users of this machine can look into ${home.root}`,
    repair: `chmod 700 ${home.root}`,
    change: `${home.root} can be opened only by you; the files in it stay as they are.`,
    fix: async () => {
      await chmod(home.root, PRIVATE_FOLDER)
      return 'made it private'
    },
  }
}

export const checkSettings = async (home: Home): Promise<Finding> => {
  const settings = await readSettings(home)
  if (settings.ok) return fine('settings', `${home.settings} is valid or missing (defaults apply)`)
  const { message } = settings.error
  return { check: 'settings', status: 'fail', message, repair: `correct ${home.settings}` }
}

/** The env file holds keys: it must be readable, and by its owner alone. */
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
