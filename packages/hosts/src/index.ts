export { answerHost, isHostName, readHostEvent } from './read-host-event.ts'
