import { type Finding, fine, keepPolicy } from '@steward/assistants'
import type { Home } from '@steward/platform'

const CHECK = 'security policy'

/** Reports which policy the guards use; without a usable file it is the built-in one. */
export const checkPolicy = (
  home: Pick<Home, 'root' | 'user' | 'databases' | 'stateDir'>,
  homedir: string,
  command: string,
): Finding => {
  const { problem } = keepPolicy(home, homedir)()
  if (problem === undefined) return fine(CHECK, 'USER/SECURITY/PATTERNS.yaml is valid')
  if (problem.kind === 'missing') {
    return fine(CHECK, `${problem.text}; \`${command} security add\` creates your own`)
  }
  return {
    check: CHECK,
    status: 'fail',
    message: problem.text,
    repair: `correct ${home.user.security}/PATTERNS.yaml: until then none of its rules applies`,
  }
}
