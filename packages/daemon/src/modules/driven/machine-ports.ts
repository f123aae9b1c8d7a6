import {
  ASSISTANTS,
  confineAgent,
  describeHookProgram,
  findProgram,
  keepPolicy,
  openAgent,
} from '@steward/assistants'
import type { Home } from '@steward/platform'
import { judgeTool } from '@steward/policy'
import type { DrivenPorts } from './ports.ts'

interface Machine {
  home: Home
  homedir: string
  processEnvironment: Readonly<Record<string, string | undefined>>
  /** The folder that Steward is installed in. */
  installation: string
}

/** The assistants of this machine, and the verdicts of its security policy. */
export const drivenMachine = ({
  home,
  homedir,
  processEnvironment: env,
  installation,
}: Machine): Pick<DrivenPorts, 'driving' | 'judge'> => {
  const policyNow = keepPolicy(home, homedir)
  return {
    judge: ({ folder }, call) =>
      judgeTool(call, policyNow().policy, { cwd: folder, environment: env }),
    driving: {
      specOf: async (name) => ASSISTANTS[name].loadDrive?.(),
      confine: (program, place) => confineAgent({}, program, { ...place, homedir, env }),
      open: async (spec, { sandbox, ...rest }) => {
        const found = findProgram(spec, { home, env })
        const confine = (session: NonNullable<typeof sandbox>) => {
          const program = describeHookProgram({ env, homedir }, installation)
          const hooks = { home, program, assistant: ASSISTANTS[session.assistant] }
          return confineAgent(spec, found, { ...session, homedir, env, hooks })
        }
        const program = sandbox === undefined ? found : await confine(sandbox)
        return openAgent({ ...rest, spec, program, homedir, env })
      },
    },
  }
}
