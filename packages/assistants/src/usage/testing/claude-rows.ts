export const SESSION = '.claude/projects/-work-shop/s1.jsonl'
export const claudeRow = (id: string, usage: object = {}, more: object = {}) => ({
  type: 'assistant',
  sessionId: 's1',
  requestId: `req_${id}`,
  timestamp: '2026-11-10T10:00:00.000Z',
  cwd: '/work/shop',
  gitBranch: 'main',
  ...more,
  message: {
    id: `msg_${id}`,
    model: 'claude-opus-5-5',
    usage: {
      input_tokens: 10,
      cache_creation_input_tokens: 100,
      cache_read_input_tokens: 1000,
      output_tokens: 20,
      cache_creation: { ephemeral_5m_input_tokens: 60, ephemeral_1h_input_tokens: 40 },
      ...usage,
    },
  },
})
export const claudeTotals = (calls: number, session = 's1') => ({
  type: 'cost-state',
  sessionId: session,
  totalCostUSD: 1,
  modelUsage: {
    'claude-opus-5-5': {
      inputTokens: 10 * calls,
      outputTokens: 20 * calls,
      cacheReadInputTokens: 1000 * calls,
      cacheCreationInputTokens: 100 * calls,
    },
  },
})
