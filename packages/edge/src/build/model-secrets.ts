/** Spec 1, Authentication: an LLM action needs the provider's key; the rest chooses another provider or model. */
export const LLM_SECRET = 'LLM_API_KEY'
export const OPTIONAL_LLM_SECRETS = [
  'LLM_PROVIDER',
  'LLM_BASE_URL',
  'LLM_MODEL_FAST',
  'LLM_MODEL_STANDARD',
  'LLM_MODEL_DEEP',
  'LLM_BUDGET_PER_RUN_USD',
]
