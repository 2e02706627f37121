import type { ClientBase } from 'pg'

/** A setting that the server reports when a connection starts and whenever it changes. */
interface ParameterStatus {
  parameterName: string
  parameterValue: string
}

/** A private part of the driver's client. Tested on the lowest and newest driver. */
interface Wire {
  connection: { on(event: 'parameterStatus', listener: (message: ParameterStatus) => void): void }
}

/** Reported since Postgres 14: the server is a standby, or it or the role is set to read-only. */
const READ_ONLY = ['in_hot_standby', 'default_transaction_read_only']

/** Calls back when the server says that it takes no writes, which costs no query. */
export function onReadOnly(client: ClientBase, callback: () => void): void {
  ;(client as ClientBase & Wire).connection.on('parameterStatus', ({ parameterName, parameterValue }) => {
    if (parameterValue === 'on' && READ_ONLY.includes(parameterName)) callback()
  })
}
