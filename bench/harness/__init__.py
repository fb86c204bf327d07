"""What all parts of the bench share: processes, the machine, the load client, the report."""
