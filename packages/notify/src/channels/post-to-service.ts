import { type HttpPorts, requestService, type ServiceRequest } from './request-service.ts'
import { delivered, type SendOutcome } from './send-outcome.ts'

/** Posts once. */
export const postToService = async (
  post: Omit<ServiceRequest, 'method'>,
  ports: HttpPorts,
): Promise<SendOutcome> => {
  const answer = await requestService({ ...post, method: 'POST' }, ports, async (response) => {
    await response.body?.cancel()
    return delivered(`HTTP ${response.status}`)
  })
  return answer.ok ? answer.value : answer.failure
}
