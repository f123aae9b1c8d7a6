import { type Finding, fine } from '@steward/assistants'
import { type Settings, unwrap } from '@steward/contract'
import { detectSandbox, ensureSandbox } from '@steward/platform'

/** Whether shell commands of actions can be isolated from the machine. */
export const checkSandbox = async (shell: Settings['execution']['shell']): Promise<Finding> => {
  const sandbox = await detectSandbox()
  if (sandbox.ok) return fine('sandbox', `${sandbox.value.isolation} works`)
  const open = shell.withoutSandbox === 'run'
  return {
    check: 'sandbox',
    status: 'warn',
    message: `${sandbox.error.message}; actions that use shell ${open ? 'run open' : 'refuse'}`,
    repair: sandbox.error.remedy,
    fix: async () => {
      const installed = unwrap(await ensureSandbox())
      return `${installed.isolation} works now`
    },
  }
}
