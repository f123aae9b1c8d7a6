import { type ActionManifestV2, type CapabilitiesV2, StewardError } from '@steward/contract'
import type { SubrequestBudget } from './subrequest-budget.ts'

/**
 * Gives an action only the capabilities it declares, and counts each call against the run's
 * subrequests. An unavailable declared capability is an error now rather than in the middle of the
 * action.
 */
export const injectCapabilities = (
  { name, requires }: Pick<ActionManifestV2, 'name' | 'requires'>,
  providers: CapabilitiesV2,
  budget: SubrequestBudget,
): CapabilitiesV2 => {
  const missing = requires.find((capability) => providers[capability] === undefined)
  if (missing !== undefined) {
    throw new StewardError('capability_missing', {
      action: name,
      capability: missing,
      reason: 'this runtime cannot provide',
    })
  }
  const { llm, shell, readFile, fetch, assistant, hostedAgent } = providers
  const declared: CapabilitiesV2 = {}
  if (llm && requires.includes('llm')) declared.llm = counted(llm, budget)
  if (shell && requires.includes('shell')) declared.shell = counted(shell, budget)
  if (fetch && requires.includes('fetch')) declared.fetch = counted(fetch, budget)
  if (readFile && requires.includes('readFile')) declared.readFile = readFile
  if (assistant && requires.includes('assistant')) {
    declared.assistant = counted(assistant, budget)
  }
  if (hostedAgent && requires.includes('hostedAgent')) {
    declared.hostedAgent = counted(hostedAgent, budget)
  }
  return declared
}

const counted =
  <Arguments extends unknown[], Answer>(
    call: (...args: Arguments) => Promise<Answer>,
    budget: SubrequestBudget,
  ) =>
  async (...args: Arguments): Promise<Answer> => {
    budget.spend()
    return call(...args)
  }
