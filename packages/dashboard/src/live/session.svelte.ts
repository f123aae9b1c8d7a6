import { daemon } from './daemon.ts'

let signedIn = $state<boolean>()

/** Whether this browser may change things; undefined until the daemon said so. */
export const isSignedIn = (): boolean | undefined => signedIn

export const askWhetherSignedIn = async (): Promise<void> => {
  const answer = await daemon.call('getAuth')
  signedIn = answer.signedIn
}
