import type { CapabilitiesV2, ExecuteV2, JsonObject, Llm } from '@steward/contract'
import {
  createSubrequestBudget,
  executeAction,
  injectCapabilities,
  injectSecrets,
  loadAction,
} from '@steward/engine'

/** The variable parts of an action's context in a test. */
export interface Parts {
  capabilities?: CapabilitiesV2
  secrets?: Record<string, string>
  runId?: string
  step?: number
  log?: (message: string) => void
}

/**
 * Runs an action like the product: manifest checked, capabilities restricted, passthrough merged.
 */
export const runAction = (
  manifest: unknown,
  module: { execute: ExecuteV2 },
  input: JsonObject,
  parts: Parts = {},
): Promise<JsonObject> => {
  const action = loadAction(manifest, module, 'action.json')
  const { name, requires } = action.manifest
  const values = parts.secrets ?? {}
  return executeAction(action, input, (signal) => {
    const secrets = injectSecrets(action.manifest, (wanted) => values[wanted])
    return {
      capabilities: injectCapabilities(
        { name, requires },
        { ...absent(requires), ...parts.capabilities },
        createSubrequestBudget(),
      ),
      env: { mode: 'local', secrets: secrets.names },
      secret: secrets.secret,
      get signal() {
        return signal()
      },
      now: () => new Date('2026-11-15T08:00:00Z'),
      trace: { runId: parts.runId ?? 'run-1', step: parts.step ?? 0 },
      log: parts.log ?? (() => undefined),
    }
  })
}

/** A model that answers each call with the next object, and records the requests. */
export const scriptModel = (...answers: Array<JsonObject | string>) => {
  const calls: Array<{ prompt: string; options: NonNullable<Parameters<Llm>[1]> }> = []
  const llm: Llm = async (prompt, options = {}) => {
    const answer = answers[Math.min(calls.length, answers.length - 1)] ?? ''
    calls.push({ prompt, options })
    return {
      ...(typeof answer === 'string'
        ? { text: answer }
        : { text: JSON.stringify(answer), json: answer }),
      usage: { input: 1, output: 1 },
      cost: 0,
      model: 'scripted',
      provider: 'offline',
    }
  }
  return { llm, calls }
}

const absent = (requires: readonly string[]): CapabilitiesV2 => {
  const refuse = (name: string) => () => Promise.reject(new Error(`the test handed no ${name}`))
  return {
    ...(requires.includes('llm') ? { llm: refuse('llm') } : {}),
    ...(requires.includes('shell') ? { shell: refuse('shell') } : {}),
    ...(requires.includes('fetch') ? { fetch: refuse('fetch') } : {}),
    ...(requires.includes('assistant') ? { assistant: refuse('assistant') } : {}),
    ...(requires.includes('readFile') ? { readFile: refuse('readFile') } : {}),
  }
}
