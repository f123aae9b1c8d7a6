import { type Finding, fine } from '@steward/assistants'

const OLDEST = '22.18'

/** The launcher already checks this, unless the program was started another way. */
export const checkNode = (version: string): Finding => {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number)
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST.split('.').map(Number)
  const fits = major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)
  if (fits) return fine('node', `Node ${version}`)
  return {
    check: 'node',
    status: 'fail',
    message: `Node ${version} is older than ${OLDEST}, which Steward needs`,
    repair: 'install Node 24 from https://nodejs.org; on Linux npm ci brings it',
  }
}
