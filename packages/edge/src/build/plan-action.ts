import {
  type ActionManifestV2,
  LIMITS,
  requiredSecretsOf,
  secretNamesOf,
  tierOf,
  workerName,
} from '@steward/contract'
import type { EdgeAction } from './catalog.ts'
import { GENERATED, importAction } from './entry-text.ts'
import { planSandbox } from './plan-sandbox.ts'
import { SEAL_MODULE } from './plugins/sealed-isolate.ts'
import { databaseBindings, type EdgeResources } from './resources.ts'
import type { WorkerPlan } from './worker-plan.ts'
import { baseConfiguration } from './wrangler-configuration.ts'

export const planAction = (action: EdgeAction, resources: EdgeResources): WorkerPlan => {
  const { manifest, folder, file, isOwn } = action
  const plan: WorkerPlan = {
    name: manifest.name,
    primitive: 'action',
    tier: 'isolate',
    configuration: {
      ...configurationOf(manifest),
      ...databaseBindings(resources, resources.history === 'all' ? ['ITEMS_DB'] : []),
    },
    secrets: secretsOf(manifest),
    optionalSecrets: optionalSecretsOf(manifest),
    network: usesModel(manifest) || manifest.requires.includes('fetch'),
    sockets: manifest.sockets === true && !isOwn,
    apart: isOwn,
    timeoutMs: manifest.timeoutMs ?? LIMITS.actionTimeoutMs,
    entry: entryOf(action),
    files: {},
    folder,
    module: file,
  }
  return tierOf(manifest) === 'sandbox' ? planSandbox(plan, action) : plan
}

const entryOf = ({ manifest, file }: EdgeAction): string => {
  const [imports, options] = usesModel(manifest)
    ? ['createActionWorker, createWorkerLlm', 'network, llm: createWorkerLlm']
    : ['createActionWorker', 'network']
  return `${GENERATED}import { network } from '${SEAL_MODULE}'
import { ${imports} } from '@steward/worker'
${importAction(manifest.name, file)}
export default createActionWorker(manifest, implementation, { ${options} })
`
}

const configurationOf = (manifest: ActionManifestV2) => {
  const base = baseConfiguration(workerName(manifest.name))
  // A model call waits less when it runs near the vendor.
  return usesModel(manifest) ? { ...base, placement: { mode: 'smart' as const } } : base
}

const secretsOf = (manifest: ActionManifestV2): string[] => [
  ...new Set([
    'AUTH_TOKEN',
    ...(usesModel(manifest) ? [LLM_SECRET] : []),
    ...requiredSecretsOf(manifest).toSorted(),
  ]),
]

const optionalSecretsOf = (manifest: ActionManifestV2): string[] => {
  const required = secretsOf(manifest)
  const declared = secretNamesOf(manifest).filter((name) => !required.includes(name))
  return [...(usesModel(manifest) ? OPTIONAL_LLM_SECRETS : []), ...declared.toSorted()]
}

const usesModel = ({ requires }: ActionManifestV2): boolean => requires.includes('llm')

/**
 * Spec 1, Authentication: an LLM action needs the provider's key; the others select another
 * provider or model.
 */
const LLM_SECRET = 'LLM_API_KEY'
const OPTIONAL_LLM_SECRETS = [
  'LLM_PROVIDER',
  'LLM_BASE_URL',
  'LLM_MODEL_FAST',
  'LLM_MODEL_STANDARD',
  'LLM_MODEL_DEEP',
  'LLM_BUDGET_PER_RUN_USD',
]
