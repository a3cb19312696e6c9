import { leasesContract } from '../contracts/store/leases.js';
import { LeaseTable } from './support/lease-table.js';

describe('the table of leases that the model uses', () => {
  let table: LeaseTable;
  beforeEach(() => {
    table = new LeaseTable();
  });

  leasesContract('in memory', () => ({
    leases: table,
    async outlast(ms) {
      table.now += ms;
    },
    async make(clientId) {
      table.sessions.add(clientId);
    },
  }));
});
